package localpg

import (
	"context"
	"os"
	"testing"
	"time"
)

const testLinger = 300 * time.Millisecond
const addRow = `create table if not exists kept (id bigserial primary key); insert into kept default values`

func testMain(m *testing.M) int { return m.Run() }

func TestAttach(t *testing.T) {
	dir, _ := os.MkdirTemp("", "polaris-pg-")
	t.Log(dir)
	for range 2 {
		t0 := time.Now()
		c, err := Attach(context.Background(), Config{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(time.Since(t0), c.PID(), c.Major(), c.DSN(Owner, Database))
		t0 = time.Now()
		if err := c.Stop(context.Background()); err != nil {
			t.Fatal(err)
		}
		t.Log("stop", time.Since(t0))
	}
}
