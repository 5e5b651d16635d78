package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"polaris/models"
	"polaris/ops"
)

// sampleName is OPERATION.vN.json.
var sampleName = regexp.MustCompile(`^([a-z_]+\.[a-z_]+)\.v(\d+)\.json$`)

// The folder testdata/proposals keeps, for each operation that can wait for a
// second person, an input as it is frozen, in every version that there was. What
// waits in somebody's queue when they update is decided on after it, so:
//
//   - a sample of the current version names every field of the input;
//   - a sample of any version decodes;
//   - no sample is ever changed. An input that changes gets a new InputVersion, a
//     new sample, and a decoder for the version before it (Op.Older).
func TestStoredProposalsDecode(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(filepath.Join("testdata", "proposals"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range files {
		m := sampleName.FindStringSubmatch(f.Name())
		if m == nil {
			t.Errorf("%s is no name of a sample", f.Name())
			continue
		}
		raw, err := os.ReadFile(filepath.Join("testdata", "proposals", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		version, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		o := ops.All().Find(m[1])
		if o == nil {
			t.Errorf("%s: there is no such operation any more, and what waits of it can only be rejected", m[1])
			continue
		}
		seen[fmt.Sprint(o.Name, version)] = true
		if why := sampleMisfit(o, version, raw); why != "" {
			t.Errorf("%s: %s", f.Name(), why)
		}
	}
	for _, o := range ops.All() {
		if !o.Queues() {
			continue
		}
		for v := range o.InputVersion() + 1 {
			if !seen[fmt.Sprint(o.Name, v)] {
				t.Errorf("%s has no sample of version %d in testdata/proposals", o.Name, v)
			}
		}
	}
}

// sampleMisfit says why a kept input is not what the operation reads now.
func sampleMisfit(o *ops.Entry, version int, raw []byte) string {
	in, err := o.DecodeInput(version, raw)
	if err != nil {
		return fmt.Sprintf("version %d does not decode: %v", version, err)
	}
	if version != o.InputVersion() {
		return ""
	}
	b, err := json.Marshal(in)
	if err != nil {
		return err.Error()
	}
	var was, is map[string]any
	if json.Unmarshal(raw, &was) != nil || json.Unmarshal(b, &is) != nil {
		return "it is no object"
	}
	if !reflect.DeepEqual(was, is) {
		return fmt.Sprintf("it reads as %s: the input changed, so it needs a new InputVersion, a sample of it, and a decoder for version %d", b, version)
	}
	if want, got := fieldsOf(o.In), slices.Sorted(maps.Keys(was)); !slices.Equal(want, got) {
		return fmt.Sprintf("it has the fields %q and the input %q: an input that changed needs a new InputVersion, a sample of it, and a decoder for version %d", got, want, version)
	}
	return ""
}

// fieldsOf are the names of an input's fields in JSON.
func fieldsOf(in reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(in) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A sample finds a change of the input that has no version of its own.
func TestSamplesFindChanges(t *testing.T) {
	t.Parallel()
	type older struct {
		Name string `json:"name"`
	}
	type newer struct {
		Name  string `json:"name"`
		Color string `json:"color,omitempty"`
	}
	type renamed struct {
		Title string `json:"title"`
	}
	if why := sampleMisfit(probe[older](0, nil), 0, []byte(`{"name":"x"}`)); why != "" {
		t.Errorf("what did not change: %s", why)
	}
	if sampleMisfit(probe[newer](0, nil), 0, []byte(`{"name":"x"}`)) == "" {
		t.Error("a field that was added is not found")
	}
	if sampleMisfit(probe[renamed](0, nil), 0, []byte(`{"name":"x"}`)) == "" {
		t.Error("a field that was renamed is not found")
	}
	if sampleMisfit(probe[renamed](1, nil), 0, []byte(`{"name":"x"}`)) == "" {
		t.Error("a version without a decoder is not found")
	}
	decoder := map[int]func(json.RawMessage) (renamed, error){0: func(raw json.RawMessage) (renamed, error) {
		var was older
		err := json.Unmarshal(raw, &was)
		return renamed{was.Name}, err
	}}
	if why := sampleMisfit(probe[renamed](1, decoder), 0, []byte(`{"name":"x"}`)); why != "" {
		t.Errorf("a version with its decoder: %s", why)
	}
	if in, err := probe[renamed](1, decoder).DecodeInput(0, []byte(`{"name":"x"}`)); err != nil || in.(renamed).Title != "x" {
		t.Errorf("decoded as %+v, %v", in, err)
	}
}

func probe[In any](version int, older map[int]func(json.RawMessage) (In, error)) *ops.Entry {
	o := &ops.Op[In, ops.None]{
		Name: "probe.change", Class: ops.Reversible, Needs: models.MayEditDraft, Offered: ops.Web, InputVersion: version, Older: older,
		Propose: func(context.Context, *ops.Env, In) (ops.Subject, error) { return ops.Subject{}, nil },
		Base:    func(context.Context, *ops.Env, In) (string, error) { return "", nil },
	}
	return o.Entry()
}
