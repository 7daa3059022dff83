import { expect, test } from "vitest";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { AssistantPart } from "../../src/contract/message.ts";
import { fromStream } from "../../src/bridge/from-stream.ts";
import { thinkFilter } from "../../src/model/wire/think.ts";

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
      notice();
      shown.push(text);
      texts.push(text);
    },
    thinking: (text) => {
      notice();
      thinking += text;
    },
  });
  let restarted = false;
  /** What was said until then was reasoning; what the same piece says behind the tag is not. */
  const notice = (): void => {
    if (!filter.restarted || restarted) return;
    restarted = true;
    thinking = texts.join("") + thinking;
    texts = [];
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
  // Reasoning that begins with a blank is told from prose by where its tag stands, the second time too.
  ["<think> plan</think>Hi", "Hi", " plan"],
  ["\n<think> plan</think>Hi", "Hi", " plan"],
  ["One.\n<think> a</think>Two.\n<think> b</think>Three.", "One.\nTwo.\nThree.", " a b"],
  ["One.\n  <think> a</think>Two.\n  <think> b</think>Three.", "One.\n  Two.\n  Three.", " a b"],
  // Words on both sides of reasoning stay two words, and one word stays one.
  ["Hi <think>a</think>there <think>b</think>now", "Hi there now", "ab"],
  ["Hi <think>a</think> there <think>b</think> now", "Hi there now", "ab"],
  ["Hi<think>a</think> there<think>b</think> now", "Hi there now", "ab"],
  ["Hi<think>a</think>the<think>b</think>re", "Hithere", "ab"],
  ["Hi <think>a</think><think>b</think>there", "Hi there", "ab"],
  ["Hi<think>a</think> <think>b</think>there", "Hi there", "ab"],
  ["<think>a</think>Hi <thinking>b</thinking>there `<think>` <thought>c</thought>now", "Hi there `<think>` now", "abc"],
  ["<think>a</think><think>b</think>\n\nHi", "Hi", "ab"],
  // The template opened the first; the second is the model's.
  ["plan</think>Hi <think>more</think>there", "Hi there", "planmore"],
  ["plan</think>\n\nHi", "Hi", "plan"],
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

/** What is kept of an answer that came in these deltas. */
async function recorded(deltas: readonly string[]): Promise<readonly AssistantPart[]> {
  async function* parts(): AsyncGenerator<LanguageModelV4StreamPart> {
    yield { type: "text-start", id: "0" };
    for (const delta of deltas) yield { type: "text-delta", id: "0", delta };
    const usage = { inputTokens: {}, outputTokens: {} } as never; // nothing was counted
    yield { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage };
  }
  const context = {
    provider: "vendor",
    requestId: "turn-1-a",
    estimate: () => ({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
  };
  const kept: AssistantPart[] = [];
  for await (const event of fromStream(parts(), context)) if (event.type === "part") kept.push(event.part);
  return kept;
}

test("PR22 what is kept of an answer whose reasoning the template had opened is the answer, however it is cut", async () => {
  const input = "plan it</think>\n\nHi. <think>more</think>Bye.";
  const cuts = Array.from({ length: input.length - 1 }, (_, at) => [input.slice(0, at + 1), input.slice(at + 1)]);
  for (const deltas of [[input], [...input], ...cuts]) {
    const parts = await recorded(deltas);
    const all = (type: "text" | "thinking"): string =>
      parts.map((part) => (part.type === type ? part.text : "")).join("");
    expect([deltas, all("text"), all("thinking")]).toEqual([deltas, "Hi. Bye.", "plan itmore"]);
  }
});

test("a surrogate pair that is cut in two is shown whole", () => {
  const [high, low] = ["🎉".slice(0, 1), "🎉".slice(1)];
  expect(split(["a", high, low, "b"]).shown).toEqual(["a", "🎉", "b"]);
});

test("blanks behind the reasoning that come one by one are not added to those before it", () => {
  expect(split(["Hi <think>x</think>", " ", " there"]).text).toBe("Hi there");
});
