package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"polaris/models/fault"
	"polaris/ops"
)

// sync imports what is new or has changed in a folder since it was imported
// from there, and returns how the two differ. A file keeps its source, whatever
// its title has become.
func (r *importRun) sync(ctx context.Context, folder string) (*ops.FolderDiff, []found, error) {
	label, err := filepath.Abs(folder)
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "%s is no folder: %v.", folder, err)
	}
	files, err := r.find([]string{folder})
	if err != nil {
		return nil, nil, err
	}
	in := ops.CompareFolderIn{Folder: label}
	var readable []found
	for _, f := range files {
		data, err := readDocument(f.path, r.d.Settings.MaxUpload)
		if err != nil {
			r.unread++
			r.miss(f.path, fault.Of(err).Message)
			continue
		}
		sum := sha256.Sum256(data)
		in.Files = append(in.Files, ops.FolderFile{Name: strings.Join(strings.Fields(f.name), " "), SHA256: hex.EncodeToString(sum[:])})
		readable = append(readable, f)
	}
	diff, err := ops.Do(ctx, r.d.Desk, r.call, ops.CompareFolder, in)
	if err != nil {
		return nil, nil, err
	}
	r.facts.Folder = label
	code := map[string]string{}
	for _, c := range diff.Changed {
		code[c.Name] = c.Code
	}
	todo := map[string]bool{}
	for _, n := range diff.New {
		todo[n] = true
	}
	var work []found
	for i, f := range readable {
		name := in.Files[i].Name
		if f.code = code[name]; f.code != "" || todo[name] {
			work = append(work, f)
		}
	}
	return &diff, work, nil
}

// vanished tells which sources have lost their file. Nothing is removed but what
// somebody at a terminal says yes to, one by one.
func (r *importRun) vanished(ctx context.Context, d *ops.FolderDiff) error {
	if len(d.Vanished) == 0 || r.c.root.JSON {
		return nil
	}
	ask := isTerminal(r.c.in) && isTerminal(r.c.out)
	in := bufio.NewScanner(r.c.in)
	for _, v := range d.Vanished {
		fmt.Fprintf(r.c.out, "%s: vanished from the folder; %s (%s) is still in the draft\n", oneLine(v.Name), v.Code, v.Title)
		if !ask {
			fmt.Fprintf(r.c.out, "  to remove it: bb source remove %s --brain-id %s\n", v.Code, r.call.Brain)
			continue
		}
		fmt.Fprintf(r.c.out, "  remove it from the draft? [y/N] ")
		if !in.Scan() || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(in.Text())), "y") {
			continue
		}
		if _, err := ops.Do(ctx, r.d.Desk, r.call, ops.RemoveSource, ops.GetSourceIn{Source: v.Code}); err != nil {
			return err
		}
		fmt.Fprintf(r.c.out, "  removed; bb source restore %s puts it back\n", v.Code)
	}
	return nil
}
