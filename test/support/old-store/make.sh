#!/bin/sh
# Makes store.tar.gz: a small store as version 0.2.x left it, with rows of form 2. Run it in a work tree of commit 550c5bee:
#   git worktree add ../old 550c5bee && cd ../old && sh ../registry/test/support/old-store/make.sh FOLDER
# FOLDER is a new folder for the result. Its keys sign nothing but this fixture.
set -e
made=$1
mkdir -p "$made"
export DATA_DIR="$made/data" LOCK_DIR="$made/lock" LOG_LEVEL=error
here=$(dirname "$0")
atr() { node_modules/.bin/bun --preload "$here/clock.ts" src/cli/atr.ts "$@"; }
cite() { echo "--url https://publisher.example/$1 --retrieved-at 2026-09-15T08:00:00Z"; }

hospital=sample/1234567893_sample-hospital_standardcharges.csv

set_aside="--override rejected_share --override row_count_drop --override prices_moved --override r11_overlap --override r11_gap --override provider_taken --override gpci_changed"
reason="--reason sample_data"

atr init --origin old.example
# Replaced by its second revision, which lasts longer.
atr load cms-clfs sample/CLFS-SAMPLE26Q4.csv --edition 26CLABQ4 --effective-from 2026-10-01 --sample --publish $set_aside $reason $(cite clfs.zip)
atr load cms-clfs sample/CLFS-SAMPLE26Q4.csv --edition 26CLABQ4 --effective-from 2026-10-01 --effective-to 2030-12-31 --sample --publish $set_aside $reason $(cite clfs.zip)
# The days of the first one were prolonged, both have the rows of one place only.
atr load cms-pfs sample/PPRRVU-SAMPLE26A.csv sample/GPCI-SAMPLE26.csv --edition RVU26A --effective-from 2026-01-01 \
  --effective-to 2030-12-31 --regions US-NY-02 --sample --publish $set_aside $reason $(cite rvu26a.zip)
atr load cms-pfs sample/PPRRVU-SAMPLE26D.csv sample/GPCI-SAMPLE26.csv --edition RVU26D --effective-from 2026-10-01 \
  --effective-to 2030-12-31 --regions US-NY-02 --sample --publish $set_aside $reason $(cite rvu26d.zip)
# Withdrawn: it is not asked for again.
atr load cms-asp sample/ASP-SAMPLE26Q4.csv --edition ASP26Q4 --effective-from 2026-10-01 --sample --publish $set_aside $reason $(cite asp.zip)
atr release withdraw cms-asp:ASP26Q4:1 --reason wrong_source
# One file for two hospitals: the second one, which has a chart of its own, speaks for its NPI since the move.
atr load hospital-mrf $hospital --sample --publish $set_aside $reason $(cite first.csv)
atr load hospital-mrf $hospital --npi 2000000010 --sample --publish $set_aside $reason $(cite second.csv)
atr providers move 2000000010 hospital-mrf:2000000010 --reason owner_changed
atr fsck

rm -f "$made"/data/*-wal "$made"/data/*-shm
tar -C "$made" --sort=name --owner=0 --group=0 --numeric-owner -cf - data lock | gzip -9 > "$made/store.tar.gz"
