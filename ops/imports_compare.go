package ops

import (
	"context"
	"encoding/hex"

	"polaris/models"
	"polaris/models/fault"
)

// A FolderFile is a file of a folder that is kept in step with the draft.
type FolderFile struct {
	Name   string `json:"name"`   // its path below the folder
	SHA256 string `json:"sha256"` // of its bytes, in hexadecimal
}

// CompareFolderIn is what a folder holds now.
type CompareFolderIn struct {
	Folder string       `json:"folder"` // the name under which it was imported
	Files  []FolderFile `json:"files" schema:"maxItems=10000"`
}

// A FolderSource is a source that came of a folder.
type FolderSource struct {
	Name  string `json:"name"` // of its file
	Code  string `json:"code"`
	Title string `json:"title"`
}

// A FolderDiff is how a folder and the draft differ.
type FolderDiff struct {
	New       []string       `json:"new"`       // files that the draft has nothing of
	Changed   []FolderSource `json:"changed"`   // whose files have other bytes now
	Unchanged int            `json:"unchanged"` // files
	Vanished  []FolderSource `json:"vanished"`  // in the draft from this folder, and no longer in it
}

// CompareFolder says what of a folder is new or has changed since it was
// imported, and what has vanished from it. It changes nothing: what vanished is
// removed by a person who saw it.
var CompareFolder = &Op[CompareFolderIn, FolderDiff]{
	Name: "imports.compare", Title: "Compare a folder with the draft", Route: "POST /v1/brains/{brain_id}/folders/comparison",
	Summary: "Say which files of a folder are new or changed since they were imported from it, and which sources of the draft came from it and are no longer there.",
	Class:   Read, Needs: models.MayReadDraft, Offered: Web | CLI | REST,
	HTTP: HTTP{Example: `{"folder":"policies","files":[{"name":"fees.md","sha256":"9f2c1d6be0d9c4a1f1b7a1f1a5a3f0e77f3a0c7de2a4b1c8f6e5d4c3b2a19081"}]}`},
	Run: func(_ context.Context, e *Env, in CompareFolderIn) (FolderDiff, error) {
		out := FolderDiff{New: []string{}, Changed: []FolderSource{}, Vanished: []FolderSource{}}
		if in.Folder == "" {
			return out, fault.Field("folder", "Name the folder as it was named when it was imported.")
		}
		had, err := e.Tx.SourcesOfFolder(in.Folder)
		if err != nil {
			return out, err
		}
		byName, bySum := map[string]int{}, map[string]int{}
		for i, s := range had {
			byName[s.Name], bySum[hex.EncodeToString(s.SHA256)] = i, i
		}
		there := make([]bool, len(had))
		for _, f := range in.Files {
			i, same := bySum[f.SHA256]
			n, named := byName[f.Name]
			switch {
			case named && hex.EncodeToString(had[n].SHA256) != f.SHA256 && !same:
				there[n] = true
				out.Changed = append(out.Changed, FolderSource{f.Name, had[n].Code, had[n].Title})
			case same:
				there[i] = true // under another name, perhaps
				out.Unchanged++
			default:
				out.New = append(out.New, f.Name)
			}
		}
		for i, s := range had {
			if !there[i] {
				out.Vanished = append(out.Vanished, FolderSource{s.Name, s.Code, s.Title})
			}
		}
		return out, nil
	},
}
