import { expect, test } from "vitest";
import { thinkFilter } from "../../src/providers/think.ts";

interface Split {
  readonly text: string;
  readonly thinking: string;
  /** Texts as they were shown. */
  readonly shown: readonly string[];
}

function split(chunks: readonly string[]): Split {
  let texts: string[] = [];
  const shown: string[] = [];
  let thinking = "";
  const filter = thinkFilter({
    text: (text) => {
      shown.push(text);
      texts.push(text);
    },
    thinking: (text) => {
      thinking += text;
    },
  });
  let restarted = false;
  const notice = (): void => {
    if (filter.restarted && !restarted) {
      restarted = true;
      texts = [];
    }
  };
  for (const chunk of chunks) {
    filter.push(chunk);
    notice();
  }
  filter.end();
  return { text: texts.join(""), thinking, shown };
}

/** Input, what is shown. The reasoning is whatever was between the tags. */
const CORPUS: readonly (readonly [input: string, text: string, thinking: string])[] = [
  ["<think>plan</think>Hi", "Hi", "plan"],
  ["<thinking>plan</thinking>Hi", "Hi", "plan"],
  ["<thought>plan</thought>\n\nHi", "Hi", "plan"],
  ["<THINK>plan</Think>Hi", "Hi", "plan"],
  ["<think></think>Hi", "Hi", ""],
  ["<think>plan", "", "plan"],
  ["\n <think>\nplan\n", "", "\nplan\n"],
  ["Hi <think>x</think> there <think>y", "Hi there", "xy"],
  ["Hi<think>x</think>there", "Hithere", "x"],
  ["Line\n<think>\nx\n</think>\nNext", "Line\n\nNext", "\nx\n"],
  ["a < b and <b>bold</b>", "a < b and <b>bold</b>", ""],
  ["`<think>` is a tag", "`<think>` is a tag", ""],
  ["``a ` <think>`` b", "``a ` <think>`` b", ""],
  ["```xml\n<think>plan</think>\n```\nDone", "```xml\n<think>plan</think>\n```\nDone", ""],
  ["The <think> tag opens, the </think> tag closes.", "The <think> tag opens, the </think> tag closes.", ""],
  ["It ends with <think>.", "It ends with <think>.", ""],
  ["an unbalanced ` and then\n<think>x</think>Hi", "an unbalanced ` and then\nHi", "x"],
  ["<thin ice", "<thin ice", ""],
  ["<thinkpad> is a laptop", "<thinkpad> is a laptop", ""],
  ["1 <", "1 <", ""],
  ["ends in <thi", "ends in <thi", ""],
  ["<think plan is broken", " plan is broken", ""],
  ["<think>a <b> c</think>Hi", "Hi", "a <b> c"],
  ["<think>a</thin</think>Hi", "Hi", "a</thin"],
  ["<tool_call>{}</tool_call>", "<tool_call>{}</tool_call>", ""],
];

for (const [input, text, thinking] of CORPUS) {
  test(`R43 PR22 ${JSON.stringify(input)} shows ${JSON.stringify(text)} however it is cut`, () => {
    expect(split([input])).toMatchObject({ text, thinking });
    for (let at = 1; at < input.length; at++) {
      const two = split([input.slice(0, at), input.slice(at)]);
      expect([at, two.text.trimEnd(), two.thinking]).toEqual([at, text.trimEnd(), thinking]);
    }
    const single = split([...input]);
    expect([single.text.trimEnd(), single.thinking]).toEqual([text.trimEnd(), thinking]);
  });
}

test("R43 no piece of a tag is ever shown", () => {
  for (const input of ["Hi <think>x</think> there", "<thinking>x</thinking>Hi", "Hi\n<thought>x</thought>"])
    expect(split([...input]).shown.join("|")).not.toMatch(/<|t\|?h\|?i\|?n\|?k|thought/);
});

test("PR22 a closing tag alone ends reasoning that the server's template had opened", () => {
  expect(split(["plan</think>Hi"])).toMatchObject({ text: "Hi", thinking: "plan" });
  // Shown already: the record corrects what was shown.
  expect(split(["pl", "an</thi", "nk>\n", "Hi"])).toMatchObject({ text: "Hi" });
});

test("a surrogate pair that is cut in two is shown whole", () => {
  const [high, low] = ["🎉".slice(0, 1), "🎉".slice(1)];
  expect(split(["a", high, low, "b"]).shown).toEqual(["a", "🎉", "b"]);
});
