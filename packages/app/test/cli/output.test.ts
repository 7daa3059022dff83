// Text of strangers on its way to a terminal without the chat: what cannot be seen is written out.
import { visible } from "@margay/core/internal";
import { expect, test } from "vitest";
import { safeText } from "../../src/host/cli/output.ts";

test.each([
  ["zero width", "rm\u200b -rf", "rm⟨U+200B⟩ -rf"],
  ["word joiner", "a\u2060b", "a⟨U+2060⟩b"],
  ["soft hyphen", "pay\u00adpal", "pay⟨U+00AD⟩pal"],
  ["direction", "txt.\u202eexe\u2066", "txt.⟨U+202E⟩exe⟨U+2066⟩"],
  ["Mongolian vowel separator", "a\u180eb", "a⟨U+180E⟩b"],
  ["tags", "hi\u{e0041}\u{e0042}", "hi⟨U+E0041⟩⟨U+E0042⟩"],
  ["private use", "\ue000\u{f0000}", "⟨U+E000⟩⟨U+F0000⟩"],
  ["hidden bytes in variation selectors", "😀\ufe0f\ufe01\u{e0101}", "😀\ufe0f⟨U+FE01⟩⟨U+E0101⟩"],
  ["a joiner where nothing is joined", "pass\u200dword \u200cx", "pass⟨U+200D⟩word ⟨U+200C⟩x"],
  ["escape sequences", "\u001b[31mred\u009b2J\u0000", "␛[31mred⟨U+009B⟩2J␀"],
])("%s: %j becomes visible", (_what, text, shown) => {
  expect(safeText(text)).toBe(shown);
});

test.each(["长尾虎猫 é\n\ttab", "👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 👍🏽", "می‌خواهم", "葛󠄀城", "क्‍ष"])("%s stays as it is written", (text) => {
  expect(safeText(text)).toBe(text);
});

test("an emoji that arrives in pieces stays one", () => {
  expect(["👨", "\u200d", "👩\u200d", "👧", "❤", "\ufe0f"].map(safeText).join("")).toBe("👨‍👩‍👧❤️");
});

test("nothing that the approval card writes out is left unseen, joiners of a script apart", () => {
  // The planes between hold letters, or nothing that is assigned.
  const codes = [
    ...Array.from({ length: 0x1_0000 }).keys(),
    ...Array.from({ length: 0x1000 }, (_, at) => 0xe_0000 + at),
  ];
  const all = codes
    .map((code) => String.fromCodePoint(code))
    .filter((character) => character.isWellFormed() && !"\t\u200c\u200d".includes(character))
    .join("a");
  const shown = safeText(all);
  expect(visible(shown) === shown).toBe(true);
});
