package demo

import (
	"context"
	"fmt"

	"polaris/ops"
)

// Publish imports the documents into the brain of the call, saves the cards and
// publishes both.
func Publish(ctx context.Context, d *ops.Desk, call ops.Call) error {
	for _, doc := range Documents() {
		if err := imports(ctx, d, call, doc); err != nil {
			return err
		}
	}
	for _, card := range Cards() {
		_, err := ops.Do(ctx, d, call, ops.SaveCard, ops.SaveCardIn{ID: card.ID, Label: card.Label, Covers: card.Covers, Anchors: card.Anchors})
		if err != nil {
			return fmt.Errorf("card %s: %w", card.ID, err)
		}
	}
	_, err := ops.Do(ctx, d, call, ops.PublishVersion, ops.PublishIn{Notes: "The demo's first version"})
	return err
}
