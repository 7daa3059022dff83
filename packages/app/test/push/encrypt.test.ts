// The known answers of the standards.
import { expect, test } from "vitest";
import { areKeys, newVapidKey, publicOf, sealed, signature } from "../../src/features/push/encrypt.ts";
import { opened, verified } from "./push-service.ts";

// RFC 8291, section 5 and appendix A.
const KEYS = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};
const OWN = Buffer.from("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94", "base64url");
const CHANCE = {
  salt: Buffer.from("DGv6ra1nlYgDCS1FRnbzlw", "base64url"),
  once: Buffer.from("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "base64url"),
};
const SEALED =
  "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";

test("W§13.14 a message is encrypted as in the example of RFC 8291, and has one length whatever it says", () => {
  const text = "When I grow up, I want to be a watermelon";
  expect(Buffer.from(sealed(text, KEYS, 0, CHANCE)).toString("base64url")).toBe(SEALED);
  expect(opened(Buffer.from(SEALED, "base64url"), { own: OWN, keys: KEYS })).toBe(text);
  const [short, long] = ["1", "Z".repeat(200)].map((said) => Buffer.from(sealed(said, KEYS)));
  expect(short).toHaveLength(long?.length ?? 0);
  expect(short?.equals(Buffer.from(sealed("1", KEYS)))).toBe(false);
  expect(opened(short ?? Buffer.alloc(0), { own: OWN, keys: KEYS })).toBe("1");
});

test("W§13.14 who sends is signed as RFC 8292 says, for one push service and half a day", () => {
  // The example of section 2.4: what checks ours takes that one.
  const example =
    "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";
  expect(verified(example).claims).toEqual({
    aud: "https://push.example.net",
    exp: 1_453_523_768,
    sub: "mailto:push@example.com",
  });
  const key = newVapidKey();
  const endpoint = "https://push.example.net:8443/a/b";
  const made = verified(signature(key, { endpoint, now: 1_000_000, subject: "https://me.example" }));
  expect(made).toEqual({
    key: publicOf(key),
    claims: { aud: "https://push.example.net:8443", exp: 1000 + 12 * 3600, sub: "https://me.example" },
  });
});

test("keys of a browser are a point of the curve and 16 bytes, nothing else", () => {
  expect(areKeys(KEYS)).toBe(true);
  const beside = Buffer.from(KEYS.p256dh, "base64url");
  beside[64] = (beside[64] ?? 0) ^ 1;
  const wrong = [
    { ...KEYS, p256dh: beside.toString("base64url") },
    { ...KEYS, p256dh: KEYS.p256dh.slice(4) },
    { ...KEYS, p256dh: Buffer.alloc(65).toString("base64url") },
    { ...KEYS, auth: "AAAA" },
  ];
  expect(wrong.map(areKeys)).toEqual([false, false, false, false]);
});
