package ops

// A Catalog is a list of operations.
type Catalog []*Entry

// All returns every operation. A test checks that none is missing.
func All() Catalog {
	return Catalog{
		// the advisor
		Answer.Entry(), Retrieve.Entry(), TopicCards.Entry(), ReadWiki.Entry(),
		// records
		GetAnswer.Entry(), ListAnswers.Entry(), ReplayAnswer.Entry(), ProveAnswer.Entry(), ExpireAnswers.Entry(), VerifyAudit.Entry(), ListAudit.Entry(), ExportAudit.Entry(), RetainAudit.Entry(),
		SubmitQuery.Entry(), PollQuery.Entry(), GetReport.Entry(),
		// the draft
		ImportSource.Entry(), StartImport.Entry(), GetImport.Entry(), WatchImport.Entry(), ListImports.Entry(), CancelImport.Entry(), CompareFolder.Entry(),
		ListSources.Entry(), GetSource.Entry(), UpdateSource.Entry(), DiffSource.Entry(), RemoveSource.Entry(), RestoreSource.Entry(), RevertSource.Entry(), SuspendSource.Entry(), LiftSuspension.Entry(), CertifySource.Entry(), PurgeSource.Entry(), ListPurges.Entry(), GetPassages.Entry(), ListBrokenRefs.Entry(),
		SurveySite.Entry(), FindSources.Entry(), ReadSource.Entry(), FindPassages.Entry(), ReadPassage.Entry(), CheckCard.Entry(), AskDraft.Entry(), ShowHistory.Entry(),
		SaveCard.Entry(), ListCards.Entry(), GetCard.Entry(), DeleteCard.Entry(),
		// versions
		PublishVersion.Entry(), RestoreVersion.Entry(), ListVersions.Entry(), GetVersion.Entry(), DiffVersions.Entry(),
		SaveGolden.Entry(), ListGolden.Entry(), DeleteGolden.Entry(), RunGolden.Entry(),
		// what waits for a second person
		ListRecommendations.Entry(), GetRecommendation.Entry(), ShowChanges.Entry(), WithdrawRecommendation.Entry(), DecideRecommendation.Entry(), UndoChange.Entry(),
		// keys and people
		CreateAPIKey.Entry(), ListAPIKeys.Entry(), GetAPIKey.Entry(), UpdateAPIKey.Entry(), RotateAPIKey.Entry(), RevokeAPIKey.Entry(), WhoAmI.Entry(),
		ListMembers.Entry(), GrantRoles.Entry(), RemoveMember.Entry(), LinkPersons.Entry(), UnlinkPersons.Entry(), ForgetPerson.Entry(), GetSettings.Entry(), SaveSettings.Entry(), ListUsers.Entry(), DisableUser.Entry(), EnableUser.Entry(),
		CreateBrain.Entry(), ExportBrain.Entry(), DeleteBrain.Entry(), ListBrains.Entry(), ShowBrain.Entry(), ShowGlance.Entry(), Search.Entry(), CreateUser.Entry(),
		// the way in
		SetUp.Entry(), SignIn.Entry(), UseLink.Entry(),
		CheckPassword.Entry(), CreateTokens.Entry(), RefreshTokens.Entry(), RevokeTokens.Entry(), EndSignIns.Entry(), RotateSigningKey.Entry(),
	}
}

// Find returns the operation with the name, or nil.
func (c Catalog) Find(name string) *Entry {
	for _, o := range c {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// On returns the operations offered on a surface.
func (c Catalog) On(s Surface) Catalog {
	var on Catalog
	for _, o := range c {
		if o.Offered&s != 0 {
			on = append(on, o)
		}
	}
	return on
}
