package main

import (
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8
const tileWidth = 1 << tileHeight

// A tileSource gives the bytes of a tile or an entry bundle by its path below the address of a log.
type tileSource func(path string) ([]byte, error)

// tilePath is C2SP's: Go's Tile.Path has an element for the height that is not there. Level -1 stands for entries.
func tilePath(level int, n int64, width int) string {
	number := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		number = fmt.Sprintf("x%03d/%s", n%1000, number)
	}
	path := fmt.Sprintf("tile/%d/%s", level, number)
	if level < 0 {
		path = "tile/entries/" + number
	}
	if width < tileWidth {
		path += fmt.Sprintf(".p/%d", width)
	}
	return path
}

// widthOf is how many hashes tile n of a level has in a tree of this size.
func widthOf(size int64, level int, n int64) int {
	if level*tileHeight > 62 {
		return 0
	}
	left := size>>(level*tileHeight) - n*tileWidth
	if left > tileWidth {
		return tileWidth
	}
	if left < 0 {
		return 0
	}
	return int(left)
}

// readTile gets one tile of a tree, cut to the width that it has there: a wider one begins with the same hashes.
func readTile(from tileSource, size int64, level int, n int64) ([]byte, error) {
	width := widthOf(size, level, n)
	data, err := from(tilePath(level, n, width))
	if err != nil {
		return nil, err
	}
	if len(data)%tlog.HashSize != 0 || len(data) < width*tlog.HashSize || len(data) > tileWidth*tlog.HashSize {
		return nil, reason("tile_malformed")
	}
	return data[:width*tlog.HashSize], nil
}

// hashReader lets tlog compute roots and proofs of a tree from its tiles. It believes the tiles; who uses it compares
// the outcome with a signed root. (tlog.TileHashReader would compare by itself, but tells no reasons, and before x/mod
// 0.40 does not compare every tile: CVE-2026-56865. Debian's is older.)
func hashReader(from tileSource, size int64) tlog.HashReader {
	read := map[tlog.Tile][]byte{}
	return tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for i, index := range indexes {
			tile := tlog.TileForIndex(tileHeight, index)
			tile.W = widthOf(size, tile.L, tile.N)
			data, have := read[tile]
			if !have {
				var err error
				if data, err = readTile(from, size, tile.L, tile.N); err != nil {
					return nil, err
				}
				read[tile] = data
			}
			hash, err := tlog.HashFromTile(tile, data, index)
			if err != nil {
				return nil, err
			}
			hashes[i] = hash
		}
		return hashes, nil
	})
}

func treeHash(size int64, reader tlog.HashReader) (tlog.Hash, error) {
	if size == 0 {
		return emptyRoot, nil
	}
	return tlog.TreeHash(size, reader)
}
