// Command memtide reads memory captures, says what they mean, and writes it down.
package main

import "os"

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }
