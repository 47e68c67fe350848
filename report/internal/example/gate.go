package example

import "github.com/memtide/memtide/analyze"

// Gate is Compare held against a policy: checks that hold, fail, are open and are excused, one of them critical.
func Gate() *analyze.Result {
	r := Compare()
	r.Command, r.Summary = "gate --policy memory.yaml --before before/* --after after/*", "The policy is broken: 2 of 6 checks fail, 1 is open, 1 is excused."
	r.Policy = &analyze.PolicyRef{Path: "memory.yaml", SHA256: "0f4c3b1e5a9d8c7b6a5f4e3d2c1b0a998877665544332211ffeeddccbbaa0099"}
	pss, native := subject("process", "", "pss"), subject("category", "Native Heap", "pss")
	gl := subject("category", "GL mtrack", "pss")
	r.Checks = []analyze.Check{
		{Name: "limit pss of com.example.gallery", Rule: "limit", Subject: pss, Outcome: analyze.Pass, Severity: "critical", Message: "pss peaked at 433.2 MiB, below the limit of 512 MiB.",
			Value: Of(433.2 * mib), Limit: Of(512.0 * mib)},
		{Name: "limit live_count of com.example.gallery", Rule: "limit", Subject: subject("process", "", "live_count"), Outcome: analyze.Pass, Severity: "note",
			Message: "1,310 live allocations, the limit is 2,000.", Value: Of(1310.0), Limit: Of(2000.0)},
		{Name: "growth of Native Heap", Rule: "growth", Subject: native, Outcome: analyze.Fail, Severity: "critical", Message: "Native Heap grows by 37.4 MiB/h; the policy allows 5 MiB/h.",
			Value: Of(37.4 * mib), Limit: Of(5.0 * mib), Fingerprint: "growth:native-heap:5f1c09"},
		{Name: "regression of pss", Rule: "regression", Subject: pss, Outcome: analyze.Fail, Severity: "warning", Message: "pss rose by 26.3 MiB (+6.9 %); the policy allows 2 %.",
			Value: Of(26.3 * mib), Limit: Of(7.6 * mib)},
		{Name: "regression of swap", Rule: "regression", Subject: subject("process", "", "swap"), Outcome: analyze.Inconclusive, Severity: "warning",
			Message: "The change of swap lies between −0.5 and +2.3 MiB; 3 more runs a side would settle it.", Value: Of(0.9 * mib), Limit: Of(1.0 * mib)},
		{Name: "finding regression:gl:77aa01", Rule: "finding", Subject: gl, Outcome: analyze.Fail, Severity: "warning", Message: "GL mtrack rose by 6.1 MiB (+9.5 %) in all five runs.",
			Fingerprint: "regression:gl:77aa01", Excused: "bigger thumbnails are wanted, until 2026-03-01"},
	}
	return r
}
