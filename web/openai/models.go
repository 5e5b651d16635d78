package openai

import (
	"context"
	"net/http"
	"strings"

	"polaris/models"
	"polaris/models/fault"
)

// anyBrain is the model that every credential may use: the brain it is for.
const anyBrain = "polaris"

// modelCreated stands in a field that OpenAI's clients require and that says
// nothing here: the first day of the year of the first release.
const modelCreated = 1767225600

// A model is how a brain is named to OpenAI's clients.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// modelsOf returns the models that a credential may use: its brain, under the
// name that needs no knowing and under its own.
func modelsOf(p models.Principal) []model {
	list := []model{{anyBrain, "model", modelCreated, string(p.Brain)}}
	if p.Brain != anyBrain {
		list = append(list, model{string(p.Brain), "model", modelCreated, string(p.Brain)})
	}
	return list
}

// usable reports whether a credential may use the model.
func usable(p models.Principal, id string) bool { return id == anyBrain || id == string(p.Brain) }

// noModel refuses a model that is not there or not the caller's: the two look
// the same.
func noModel(id string) error {
	f := fault.New(fault.NotFound, "The model %s does not exist, or your credential is not for it. Use %q, or see GET /v1/models.", quoted(id), anyBrain).WithCode("model_not_found")
	f.Field = "model"
	return f
}

// quoted returns a name that a caller made up, fit to stand in a message.
func quoted(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return "`" + strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), unprintable), " ") + "`"
}

func (e *endpoint) models(ctx context.Context, w http.ResponseWriter, r *http.Request, id string) error {
	p, err := e.door.Admit(ctx, w.Header(), r, id)
	if err != nil {
		return err
	}
	return send(w, http.StatusOK, struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", modelsOf(p)})
}

func (e *endpoint) model(ctx context.Context, w http.ResponseWriter, r *http.Request, id, name string) error {
	p, err := e.door.Admit(ctx, w.Header(), r, id)
	if err != nil {
		return err
	}
	for _, m := range modelsOf(p) {
		if m.ID == name {
			return send(w, http.StatusOK, m)
		}
	}
	return noModel(name)
}
