package main

import "strings"

// mostEvidence is enough for a divided ZIP code: it has a row for each part, and the rule asks for all of them.
const mostEvidence = 4096

var (
	isCitation = closed(map[string]form{
		"title":        isLabel,
		"url":          matching(`[!-~]{0,300}`),
		"file":         matching(`[A-Za-z0-9._-]{1,120}`),
		"sha256":       isSha256,
		"bytes":        isCount,
		"media_type":   matching(`[a-z]+/[a-z0-9.+-]+`),
		"retrieved_at": isInstant,
	})
	manifestMembers = closedOr(map[string]form{
		"schema":           oneOf("price-release/2"),
		"release_id":       isToken,
		"chart":            isChart,
		"edition":          matching(`[A-Za-z0-9._-]{1,60}`),
		"publisher":        isLabel,
		"effective_from":   isDay,
		"effective_to":     isDay,
		"period_by":        oneOf("calendar", "file", "operator"),
		"citations":        listOf(64, isCitation),
		"row_count":        isCount,
		"rows_root":        isHash,
		"unreadable_lines": isCount,
		"rejected_count":   isCount,
		"data_class":       oneOf("published", "sample"),
		"supersedes":       nullOr(isToken),
		"recorded_at":      isInstant,
	}, map[string]form{
		"providers": notEmpty(listOf(1000, isNpi)),
		"overrides": notEmpty(listOf(64, closed(map[string]form{"rule": isName, "reason": isName}))),
	})
	isRevision = matching(`[1-9][0-9]{0,8}`)

	isWithdrawal = closed(map[string]form{
		"schema":      oneOf("price-withdrawal/2"),
		"release_id":  isToken,
		"chart":       isChart,
		"reason":      isName,
		"recorded_at": isInstant,
	})
	isMove = closed(map[string]form{
		"schema":      oneOf("provider-move/1"),
		"npi":         isNpi,
		"chart":       isChart,
		"reason":      isName,
		"recorded_at": isInstant,
	})
	isState = closed(map[string]form{
		"schema":         oneOf("registry-state/1"),
		"timeline_root":  isHash,
		"timeline_size":  isCount,
		"providers_root": isHash,
		"providers_size": isCount,
		"recorded_at":    isInstant,
	})
	isPeriod   = closed(map[string]form{"chart": isChart, "from": isDay, "to": isDay, "release": isHash})
	isProvider = closed(map[string]form{"npi": isNpi, "chart": matching(`hospital-mrf:[12][0-9]{9}`)})

	isLogProof      = closed(map[string]form{"index": isCount, "inclusion": isPath, "checkpoint": isText})
	isPeriodProof   = closed(map[string]form{"period": isPeriod, "index": isCount, "path": isPath})
	isProviderProof = closed(map[string]form{"provider": isProvider, "index": isCount, "path": isPath})
	isInForce       = closed(map[string]form{"period": isPeriod, "index": isCount, "path": isPath, "state": isState})
	isShared        = closed(map[string]form{"release": isManifest, "in_force": isPeriodProof})
	isReleases      = listOf(64, isShared)
	isNeighbour     = closed(map[string]form{"row": isRow, "index": isCount, "path": isPath})

	isRowProof = closed(map[string]form{
		"type":     oneOf("agent-trust-registry/row-proof@v2"),
		"row":      closed(map[string]form{"index": isCount, "leaf_hash": isHash, "path": isPath}),
		"release":  isManifest,
		"in_force": nullOr(isInForce),
		"log":      isLogProof,
	})
	isAbsenceProof = closed(map[string]form{
		"type":       oneOf("agent-trust-registry/absence-proof@v2"),
		"key_prefix": isToken,
		"left":       nullOr(isNeighbour),
		"right":      nullOr(isNeighbour),
		"release":    isManifest,
		"in_force":   isInForce,
		"log":        isLogProof,
	})
	isBecause = closedOr(map[string]form{
		"releases": isReleases,
		"rows": listOf(mostEvidence, closed(map[string]form{
			"row": isRow, "index": isCount, "path": isPath, "release": nullOr(isCount)})),
		"periods":   listOf(64, isPeriodProof),
		"providers": listOf(64, isProviderProof),
	}, map[string]form{"state": isState, "log": isLogProof})

	isPageProof = closed(map[string]form{
		"type": oneOf("agent-trust-registry/page-proof@v2"), "proof": isCount, "index": isCount, "leaf_hash": isHash})
	isRangeProofs = listOf(200, closed(map[string]form{
		"type":    oneOf("agent-trust-registry/range-proof@v2"),
		"release": isCount, "from": isCount, "left_path": isPath, "right_path": isPath}))
)

func notEmpty(fits form) form {
	return func(value any) bool {
		items, ok := value.([]any)
		return ok && len(items) > 0 && fits(value)
	}
}

// isManifest: the id is made of chart, edition and revision, and only a hospital's file names providers.
func isManifest(value any) bool {
	if !manifestMembers(value) {
		return false
	}
	chart := textOf(value, "chart")
	start := chart + ":" + textOf(value, "edition") + ":"
	id := textOf(value, "release_id")
	return strings.HasPrefix(id, start) && isRevision(id[len(start):]) &&
		textOf(value, "effective_from") <= textOf(value, "effective_to") &&
		has(value.(object), "providers") == strings.HasPrefix(chart, hospitalChart)
}
