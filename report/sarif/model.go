package sarif

import "encoding/json"

// The objects of SARIF that are written (sarif-v2.1.0, section 3), with the members that are used.
type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool              `json:"tool"`
	Invocations []invocation      `json:"invocations"`
	Automation  *automation       `json:"automationDetails,omitempty"`
	Artifacts   []artifact        `json:"artifacts,omitempty"`
	Results     []json.RawMessage `json:"results"`
	ColumnKind  string            `json:"columnKind"`
	Properties  map[string]any    `json:"properties"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	ID         string         `json:"id"`
	Name       string         `json:"name,omitempty"`
	Short      message        `json:"shortDescription"`
	Full       message        `json:"fullDescription"`
	Help       message        `json:"help"`
	Config     configuration  `json:"defaultConfiguration"`
	Properties map[string]any `json:"properties"`
}

type configuration struct {
	Level string `json:"level"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	Notifications []notification `json:"toolExecutionNotifications,omitempty"`
}

type notification struct {
	Level   string  `json:"level"`
	Message message `json:"message"`
}

type automation struct {
	ID string `json:"id"`
}

type artifact struct {
	Location artifactLocation  `json:"location"`
	Length   int64             `json:"length"`
	Hashes   map[string]string `json:"hashes,omitempty"`
}

type artifactLocation struct {
	URI string `json:"uri"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Kind         string            `json:"kind,omitempty"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations,omitempty"`
	Related      []location        `json:"relatedLocations,omitempty"`
	Stacks       []stack           `json:"stacks,omitempty"`
	Prints       map[string]string `json:"partialFingerprints"`
	Baseline     string            `json:"baselineState,omitempty"`
	Suppressions []suppression     `json:"suppressions,omitempty"`
	Properties   map[string]any    `json:"properties"`
}

type location struct {
	ID       int               `json:"id,omitempty"`
	Physical *physicalLocation `json:"physicalLocation,omitempty"`
	Logical  []logicalLocation `json:"logicalLocations,omitempty"`
	Message  *message          `json:"message,omitempty"`
}

type physicalLocation struct {
	Artifact artifactLocation `json:"artifactLocation"`
	Region   region           `json:"region"`
}

type region struct {
	StartLine   int64 `json:"startLine"`
	StartColumn int   `json:"startColumn"`
	EndLine     int64 `json:"endLine"`
}

type logicalLocation struct {
	Name string `json:"name"`
	Full string `json:"fullyQualifiedName,omitempty"`
	Kind string `json:"kind"`
}

type stack struct {
	Message *message `json:"message,omitempty"`
	Frames  []frame  `json:"frames"`
}

type frame struct {
	Location location `json:"location"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status"`
	Justification string `json:"justification"`
}
