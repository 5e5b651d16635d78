package ingest

import "testing"

func TestLanguage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The lender tells the applicant of the decision, and of the reasons for it.":                                            "en",
		"Der Kreditgeber teilt die Entscheidung mit und nennt die Gründe, die für sie sprechen. Das ist nicht neu.":             "de",
		"Le prêteur informe le demandeur de la décision et des motifs pour lesquels elle est prise par lui.":                    "fr",
		"El prestamista comunica la decisión y los motivos por los que se toma, para que el solicitante los conozca.":           "es",
		"Långivaren meddelar beslutet och skälen till det. Det är inte nytt att kunden får veta det.":                           "sv",
		"Långiveren meddeler afgørelsen og grundene til den. Det er ikke nyt at kunden får det at vide af banken.":              "da",
		"Wniosek należy złożyć w oddziale. Nie jest on rozpatrywany przez bank, jeśli się go nie podpisze, oraz na tym koniec.": "pl",
		"Заявитель получает письменное уведомление. Решение должно быть обосновано и выслано.":                                  "ru",
		"Заявник отримує письмове повідомлення. Рішення має бути обґрунтоване, її надсилають.":                                  "uk",
		"Заявителят получава писмено уведомление. Решението трябва да бъде мотивирано още същия ден, без изключение.":           "bg",
		"Ο αιτών λαμβάνει γραπτή ειδοποίηση.":                                                                                   "el",
		"המבקש יקבל הודעה בכתב בתוך שלושים יום":                                                                                 "he",
		"يتلقى مقدم الطلب إشعارا كتابيا":                                                                                        "ar",
		"متقاضی باید اطلاعیه کتبی دریافت کند و آن را بپذیرد":                                                                    "fa",
		"申请人应当在三十日内收到书面通知。":                                                                                                     "zh",
		"申請者は三十日以内に書面による通知を受け取る。":                                                                                               "ja",
		"신청인은 삼십일 이내에 서면 통지를 받는다.":                                                                                              "ko",
		"ผู้สมัครจะได้รับหนังสือแจ้งภายในสามสิบวัน":                                                                             "th",
		"Lorem ipsum dolor sit amet, consectetur":                                                                               "und",
		"1 2 3":                   "und",
		"":                        "und",
		"JIS G 4108 規格 SNB steel": "und",
	} {
		if got := language(text); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
}
