package ops

import (
	"context"

	"polaris/models"
	"polaris/models/fault"
)

// badToken is the answer to an access token that does not hold.
var badToken = fault.New(fault.Unauthenticated, "This access token is not valid here. Get a new one, or send an API key as `Authorization: Bearer sk-polaris-…` or `X-API-Key`.").WithCode("invalid_token")

// TokenPrincipal returns whom an access token stands for.
func (d *Desk) TokenPrincipal(context.Context, string) (models.Principal, error) {
	return models.Principal{}, badToken
}
