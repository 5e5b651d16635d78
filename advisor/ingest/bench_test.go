package ingest

import "testing"

func BenchmarkRegulation(b *testing.B) { bench(b, "reg-b-12cfr1002.xml") }
func BenchmarkStatute(b *testing.B)    { bench(b, "fcra-15usc1681.md") }

func bench(b *testing.B, name string) {
	data := load(b, name)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := Parse(data, Options{Name: name}); err != nil {
			b.Fatal(err)
		}
	}
}
