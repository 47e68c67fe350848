package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// tab is a page in a browser without a window, driven by Chromium's DevTools protocol over two pipes.
type tab struct {
	t       *testing.T
	in      *os.File
	session string
	next    int

	mu      sync.Mutex
	answers map[int]chan json.RawMessage
	faults  []string // errors, warnings of policies and failed requests since the page was opened
	loaded  chan struct{}
}

// openTab starts a browser with an empty page of the given size, without a network.
func openTab(t *testing.T, width, height int) *tab {
	t.Helper()
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser(t), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{toRead, fromWrite}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toRead.Close()
	fromWrite.Close()
	b := &tab{t: t, in: toWrite, answers: map[int]chan json.RawMessage{}, loaded: make(chan struct{}, 8)}
	go b.listen(fromRead)
	t.Cleanup(func() {
		b.session = ""
		b.send("Browser.close", nil)
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
	b.attach(width, height)
	return b
}

func (b *tab) attach(width, height int) {
	b.t.Helper()
	var made struct{ TargetID string }
	b.must("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct{ SessionID string }
	b.must("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.must(domain+".enable", nil, nil)
	}
	b.must("Network.emulateNetworkConditions", map[string]any{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}, nil)
	b.size(width, height)
}

// size is that of the window; a narrow one is a telephone.
func (b *tab) size(width, height int) {
	b.t.Helper()
	b.must("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
}

// media sets the wish for dark colours, and print.
func (b *tab) media(dark bool, medium string) {
	b.t.Helper()
	scheme := map[bool]string{true: "dark", false: "light"}[dark]
	b.must("Emulation.setEmulatedMedia", map[string]any{"media": medium, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// listen takes what the browser says, until it ends.
func (b *tab) listen(from *os.File) {
	defer from.Close()
	r := bufio.NewReader(from)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
			Params json.RawMessage
		}
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		if answer := b.answers[m.ID]; m.ID > 0 && answer != nil {
			if m.Error != nil {
				m.Result = json.RawMessage(fmt.Sprintf(`{"failed":%q}`, m.Error.Message))
			}
			answer <- m.Result
			delete(b.answers, m.ID)
		}
		b.note(m.Method, m.Params)
		b.mu.Unlock()
	}
}

// note keeps what must not be: what the console says as a warning or error, exceptions, requests that failed.
func (b *tab) note(method string, params json.RawMessage) {
	var p struct {
		Entry            struct{ Level, Text, URL string }
		Type             string
		Args             []struct{ Value any }
		ExceptionDetails struct {
			Text      string
			Exception struct{ Description string }
		}
		ErrorText string
		Request   struct{ URL string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	switch method {
	case "Page.loadEventFired":
		select {
		case b.loaded <- struct{}{}:
		default:
		}
	case "Log.entryAdded":
		if p.Entry.Level == "error" || p.Entry.Level == "warning" {
			b.faults = append(b.faults, p.Entry.Text)
		}
	case "Runtime.consoleAPICalled":
		if p.Type == "error" || p.Type == "warning" {
			b.faults = append(b.faults, fmt.Sprint("console: ", p.Args))
		}
	case "Runtime.exceptionThrown":
		b.faults = append(b.faults, p.ExceptionDetails.Text+" "+p.ExceptionDetails.Exception.Description)
	case "Network.requestWillBeSent":
		if url := p.Request.URL; !strings.HasPrefix(url, "file:") && !strings.HasPrefix(url, "about:") {
			b.faults = append(b.faults, "asked for "+url)
		}
	}
}

func (b *tab) send(method string, params any) chan json.RawMessage {
	b.mu.Lock()
	b.next++
	answer := make(chan json.RawMessage, 1)
	b.answers[b.next] = answer
	message := map[string]any{"id": b.next, "method": method}
	b.mu.Unlock()
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	_, _ = b.in.Write(append(text, 0))
	return answer
}

// must calls the browser and waits for its answer.
func (b *tab) must(method string, params, into any) {
	b.t.Helper()
	select {
	case answer := <-b.send(method, params):
		var failed struct{ Failed string }
		if _ = json.Unmarshal(answer, &failed); failed.Failed != "" {
			b.t.Fatalf("%s: %s", method, failed.Failed)
		}
		if into != nil {
			if err := json.Unmarshal(answer, into); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(2 * time.Minute):
		b.t.Fatalf("%s: no answer", method)
	}
}

// open goes to an address and waits until it is loaded.
func (b *tab) open(url string) {
	b.t.Helper()
	b.mu.Lock()
	b.faults = nil
	b.mu.Unlock()
	for len(b.loaded) > 0 {
		<-b.loaded
	}
	for _, to := range []string{"about:blank", url} { // an address that differs in what follows # alone would not be loaded again
		b.must("Page.navigate", map[string]any{"url": to}, nil)
		select {
		case <-b.loaded:
		case <-time.After(time.Minute):
			b.t.Fatalf("%s: not loaded", to)
		}
	}
}

// do runs a script in the page and gives its value; a promise is waited for.
func (b *tab) do(script string) any {
	b.t.Helper()
	var out struct {
		Result           struct{ Value any }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.must("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &out)
	if e := out.ExceptionDetails; e != nil {
		b.t.Fatalf("%.200s: %s %s", script, e.Text, e.Exception.Description)
	}
	return out.Result.Value
}

// wait holds that a script gives true before long.
func (b *tab) wait(what, script string) {
	b.t.Helper()
	for range 100 {
		if b.do(script) == true {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s: not so: %s", what, script)
}

// press sends keys by name: "Tab", "ArrowRight", "a".
func (b *tab) press(keys ...string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
	for _, k := range keys {
		p := map[string]any{"type": "keyDown", "key": k, "windowsVirtualKeyCode": codes[k]}
		switch {
		case k == "Enter":
			p["text"] = "\r"
		case len(k) == 1:
			p["text"] = k
		}
		b.must("Input.dispatchKeyEvent", p, nil)
		b.must("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": k, "windowsVirtualKeyCode": codes[k]}, nil)
	}
}

// clean holds that nothing went wrong since the page was opened.
func (b *tab) clean() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults {
		b.t.Errorf("console: %.300s", f)
	}
	b.faults = nil
}

// picture takes a screenshot, of the whole page or of the window.
func (b *tab) picture(path string, whole bool) {
	b.t.Helper()
	var shot struct{ Data string }
	b.must("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": whole}, &shot)
	b.write(path, shot.Data)
}

// pdf prints the page on paper of so many inches.
func (b *tab) pdf(path string, width, height float64) {
	b.t.Helper()
	var out struct{ Data string }
	b.must("Page.printToPDF", map[string]any{"printBackground": false, "paperWidth": width, "paperHeight": height}, &out)
	b.write(path, out.Data)
}

func (b *tab) write(path, data string) {
	b.t.Helper()
	raw, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		err = os.WriteFile(path, raw, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
