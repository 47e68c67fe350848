// Command control calls a function with a known fault (GO-2021-0113), so that a scan that finds nothing here is
// known to be blind. It is never built into anything.
package main

import (
	"fmt"
	"os"

	"golang.org/x/text/language"
)

func main() { fmt.Println(language.Parse(os.Args[1])) }
