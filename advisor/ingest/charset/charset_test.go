package charset

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/htmlindex"

	"polaris/models/fault"
)

// paragraphs are ours, in the languages whose documents are not always UTF-8.
var paragraphs = map[string]string{
	"de": "Die Gebühren für die Prüfung trägt der Kreditnehmer. Größere Änderungen müssen schriftlich bestätigt werden.",
	"fr": "L’emprunteur reçoit, à la première demande, une copie de la décision motivée. Elle est gratuite.",
	"es": "El solicitante recibirá una notificación por escrito dentro de los treinta días. ¿Quién decide? La comisión.",
	"pl": "Wniosek o kredyt należy złożyć w oddziale. Odpowiedź zostanie wysłana w ciągu trzydziestu dni, także pocztą. Źródło: regulamin świadczeń, część piąta, żądania i łączne zobowiązania.",
	"cs": "Žádost o úvěr se podává písemně. Rozhodnutí musí být odůvodněno a příslušný dlužník obdrží kopii do třiceti dnů.",
	"tr": "Başvuru sahibi, kararın gerekçesini otuz gün içinde yazılı olarak alır. Ücret alınmaz, değişiklikler bildirilir ve müşteri şikâyet edebilir; şube müdürü çağrılır.",
	"ru": "Заявитель получает письменное уведомление в течение тридцати дней. Решение должно быть обосновано.",
	"uk": "Заявник отримує письмове повідомлення протягом тридцяти днів. Рішення має бути обґрунтоване.",
	"el": "Ο αιτών λαμβάνει γραπτή ειδοποίηση εντός τριάντα ημερών. Η απόφαση πρέπει να είναι αιτιολογημένη.",
	"he": "המבקש יקבל הודעה בכתב בתוך שלושים יום. ההחלטה תהיה מנומקת.",
	"ar": "يتلقى مقدم الطلب إشعارا كتابيا خلال ثلاثين يوما. يجب أن يكون القرار مسببا.",
	"th": "ผู้สมัครจะได้รับหนังสือแจ้งภายในสามสิบวัน การตัดสินใจต้องมีเหตุผล",
	"ja": "申請者は三十日以内に書面による通知を受け取る。決定には理由を付さなければならない。料金は無料です。",
	"zh": "申请人应当在三十日内收到书面通知。决定必须说明理由，这是规定的一部分，不得收取费用。",
	"tw": "申請人應於三十日內收到書面通知。決定必須說明理由，這是規定的一部分，不得收取費用。",
	"ko": "신청인은 삼십일 이내에 서면 통지를 받는다. 결정에는 이유를 붙여야 한다. 수수료는 없다.",
}

// TestDecode holds that a text reads the same in each encoding that its language
// was written in.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lang, encodings string }{
		{"de", "utf-8 windows-1252 iso-8859-15 utf-16le utf-16be"},
		{"fr", "windows-1252"},
		{"es", "windows-1252"},
		{"pl", "windows-1250"},
		{"cs", "windows-1250"},
		{"tr", "windows-1254"},
		{"ru", "utf-8 windows-1251 koi8-r iso-8859-5 ibm866 utf-16le"},
		{"uk", "windows-1251"},
		{"el", "windows-1253 utf-16be"},
		{"he", "windows-1255 utf-16le"},
		{"ar", "windows-1256 utf-16le"},
		{"th", "windows-874"},
		{"ja", "shift_jis euc-jp iso-2022-jp"},
		{"zh", "gb18030"},
		{"tw", "big5"},
		{"ko", "euc-kr"},
	} {
		for name := range strings.FieldsSeq(tt.encodings) {
			enc, err := htmlindex.Get(name)
			if err != nil {
				t.Fatal(err)
			}
			want := "1. Text\n\n" + paragraphs[tt.lang] + "\n"
			data, err := enc.NewEncoder().String(want)
			if err != nil {
				t.Fatalf("%s in %s: %v", tt.lang, name, err)
			}
			got, err := Decode([]byte(data), "")
			if err != nil || got.UTF8 != want {
				t.Errorf("%s in %s was read as %s: %q, %v", tt.lang, name, got.Name, got.UTF8, err)
			}
			if got, err := Decode([]byte(data), name); err != nil || got.UTF8 != want {
				t.Errorf("%s in %s, as declared, was read as %s: %q, %v", tt.lang, name, got.Name, got.UTF8, err)
			}
		}
	}
}

// TestDeclared holds that a document's own declaration is believed where it
// decodes, and no other.
func TestDeclared(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"<?xml version='1.0' encoding='ISO-8859-2'?><a>\xb1</a>":                        "ą",
		"<html><head><meta charset=koi8-r></head>\xc1":                                  "а",
		"<meta http-equiv=Content-Type content='text/html; charset=shift_jis'>\x82\xa0": "あ",
		"<meta charset=shift_jis><p>gr\xc3\xbc\xc3\x9fe</p>":                            "grüße",
		"<meta charset=no-such><p>gr\xfc\xdfe</p>":                                      "grüße",
	} {
		if got, err := Decode([]byte(in), ""); err != nil || !strings.Contains(got.UTF8, want) {
			t.Errorf("%q: %+v, %v", in, got, err)
		}
	}
}

// TestNothingFits holds what is refused.
func TestNothingFits(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"half UTF-8": "gr\xc3\xbc\xc3\x9fe \xc3\xa4 \xc3\xb6 \xff",
		"noise":      strings.Repeat("\x8f\x81\xfe\x90\xff\x9d ", 20),
		"NUL":        "abc\x00def",
		"odd UTF-16": "\xff\xfea\x00b",
	} {
		if got, err := Decode([]byte(in), ""); !fault.Is(err, fault.Unreadable) && !fault.Is(err, fault.Unsupported) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
