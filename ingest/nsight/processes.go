package nsight

// readProcesses reads the names of the processes that have events; the last of several is that of the program after exec.
func (c *capture) readProcesses() {
	used := map[int32]bool{}
	c.events.each(false, func(e *event) { used[e.pid] = true })
	c.scan(query{table: "PROCESSES", columns: []string{"pid", "globalPid", "name"}}, func(r row) {
		pid, global := r.int(0), r.int(1)
		n := int32(pid.V)
		if !pid.OK || int64(n) != pid.V {
			n = pidOf(global.V)
		}
		if name := r.text(2); (pid.OK || global.OK) && used[n] && len(name) > 0 {
			c.processes[n] = string(name)
		}
	})
}
