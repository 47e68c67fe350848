package sarif_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// logFile is what the rules below look at.
type logFile struct {
	Schema  string `json:"$schema"`
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
					Properties                              struct {
						Tags        []string
						TagsLeftOut int
					}
				}
			}
		}
		Invocations []struct {
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Artifacts []struct{ Location struct{ URI string } }
		Results   []result
	}
}

type result struct {
	RuleID                      string
	RuleIndex                   int
	Kind, Level, BaselineState  string
	Message                     struct{ Text string }
	Locations, RelatedLocations []location
	PartialFingerprints         map[string]string
	Suppressions                []struct{ Kind string }
}

type location struct {
	PhysicalLocation *struct {
		ArtifactLocation struct{ URI string }
		Region           struct{ StartLine, StartColumn int }
	}
}

// breaches are the rules of SARIF and GitHub that the schema does not say, or that hold where it cannot be had.
func breaches(text []byte) []string {
	var l logFile
	if err := json.Unmarshal(text, &l); err != nil {
		return []string{err.Error()}
	}
	var out []string
	want := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	want(strings.HasPrefix(l.Schema, "https://docs.oasis-open.org/sarif/") && l.Version == "2.1.0" && len(l.Runs) == 1, "head: %q %q, %d runs", l.Schema, l.Version, len(l.Runs))
	want(len(text) == len(strings.ReplaceAll(string(text), "\n", ""))+1, "not minified")
	for _, r := range l.Runs {
		ids := map[string]bool{}
		for _, d := range r.Tool.Driver.Rules {
			want(d.ID != "" && !ids[d.ID] && d.ShortDescription.Text != "" && d.FullDescription.Text != "" && d.Help.Text != "", "rule %q", d.ID)
			want(len(d.Properties.Tags) <= 20, "rule %q has %d tags", d.ID, len(d.Properties.Tags))
			ids[d.ID] = true
		}
		for _, a := range r.Artifacts {
			want(relative(a.Location.URI), "artifact %q", a.Location.URI)
		}
		want(len(r.Results) <= 25_000, "%d results", len(r.Results))
		prints := map[string]bool{}
		for _, one := range r.Results {
			want(one.RuleIndex >= 0 && one.RuleIndex < len(r.Tool.Driver.Rules) && r.Tool.Driver.Rules[one.RuleIndex].ID == one.RuleID, "%s: index %d", one.RuleID, one.RuleIndex)
			out = append(out, one.breaches()...)
			print := one.PartialFingerprints["primaryLocationLineHash"]
			want(print != "" && !prints[print], "fingerprint %q", print)
			prints[print] = true
		}
	}
	return out
}

func (r result) breaches() []string {
	var out []string
	want := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, r.RuleID+": "+fmt.Sprintf(format, args...))
		}
	}
	want(slices.Contains([]string{"", "pass", "open"}, r.Kind), "kind %q", r.Kind)
	want(slices.Contains([]string{"error", "warning", "note", "none"}, r.Level), "level %q", r.Level)
	want((r.Kind == "") == (r.Level != "none"), "kind %q with level %q", r.Kind, r.Level)
	want(slices.Contains([]string{"", "new", "unchanged", "absent"}, r.BaselineState), "baseline %q", r.BaselineState)
	want(r.Message.Text != "" && !strings.Contains(r.Message.Text, "](") && !strings.ContainsFunc(r.Message.Text, unicode.IsControl), "message %q", r.Message.Text)
	want(len(r.Locations) <= 1 && len(r.Locations)+len(r.RelatedLocations) <= 1000, "%d + %d locations", len(r.Locations), len(r.RelatedLocations))
	for _, l := range append(r.Locations, r.RelatedLocations...) {
		if p := l.PhysicalLocation; p != nil {
			want(relative(p.ArtifactLocation.URI) && p.Region.StartLine >= 1 && p.Region.StartColumn >= 1, "place %+v", *p)
		}
	}
	return out
}

// relative says whether a reference is a path below a root, without a scheme, host, root, query or step upwards.
func relative(text string) bool {
	u, err := url.Parse(text)
	return err == nil && text != "" && u.Scheme == "" && u.Host == "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil &&
		!strings.HasPrefix(text, "/") && !slices.Contains(strings.Split(u.Path, "/"), "..")
}
