/** Well-known passwords that the length rule alone would let through, and the words people add digits to. Lower case. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `password passwordpassword passw0rd12345 password1234 password12345 password123456 password2024 password2025 password2026
  p@ssw0rd1234 p@ssword1234 mypassword mypassword123 letmein letmein12345 letmeinplease welcome welcome12345 welcome2024
  welcome2025 welcome2026 qwerty qwertyuiop qwerty123456 qwertyuiop123 qwertyuiop12 qwerty12345678 asdfghjkl asdfghjkl123
  zxcvbnm zxcvbnm12345 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1qaz2wsx3edc 1qazxsw23edc qazwsxedcrfv qazwsxedc123 q1w2e3r4t5y6
  administrator administrator1 adminadmin admin adminadmin12 admin1234567 admin123456789 adminpassword rootroot
  root rootpassword superuser changeme changemeplease changeme1234 changeme123456 changethis default defaultpassword
  secret secretsecret supersecret topsecret secretpassword trustno1trustno1 iloveyou iloveyou1234 iloveyouforever
  iloveyousomuch ihateyou sunshine sunshine1234 princess princess1234 football football1234 baseball baseball1234
  basketball superman superman1234 batman spiderman dragon dragondragon monkey monkeymonkey mustang shadow michael
  jennifer charlie starwars starwars1234 pokemon pokemon12345 whatever whatever1234 computer computer1234 internet
  internet1234 samsung samsung12345 chocolate butterfly liverpool manchester manchesterunited barcelona realmadrid
  correcthorsebatterystaple abc123abc123 abcabcabcabc abcdefghijkl abcd1234abcd aaaaaaaaaaaa 123abc123abc
  000000000000 111111111111 121212121212 123123123123 123321123321 123456123456 112233445566 123456654321 123456789012
  1234567890123 12345678901234 123456789123 147258369147 159753159753 987654321987 987654321098 asdf1234asdf qwer1234qwer
  qwerqwerqwer test testtest testtesttest testpassword test12345678 test1234test guest guestguest useruser demo demodemo
  temp temptemp temporary temppassword nopassword nopasswordyet enterpassword insertpassword placeholder yourpassword
  yourpasswordhere example examplepassword margay margaymargay margaypassword gateway gatewaypassword openclaw
  letmeinletmein openopenopen openthedoor opensesame nothinghere unknownunknown passpasspass pass1234pass
  woaini woaini1314520 woaini520520 woaini1314 5201314520 52013145201314 a123456789012 aa123456789a qq123456789q
  zhangwei wangwei mima mimamima nicainicai`
    .split(/\s+/)
    .filter((word) => word !== ""),
);
