// The first set-up: what it asks, what it takes, what it writes, and that it leaves alone what is there.
import { mkdtempSync, readFileSync, rmSync, statSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placesOf } from "../../src/config/paths.ts";
import { FRESH_BUDGETS } from "../../src/config/fresh.ts";
import { saveChanges } from "../../src/config/save.ts";
import { setApart } from "../../src/config/secrets/secrets.ts";
import { askSetup, type Dialogue } from "../../src/features/onboard/dialogue.ts";
import type { Listed, ModelChoice } from "../../src/features/onboard/choice.ts";
import { defaultsOf, plannedChanges } from "../../src/features/onboard/plan.ts";
import { vendorOfKey } from "../../src/models/key-pages.ts";
import type { FoundModel } from "../../src/models/find-models.ts";
import type { Option, Prompts } from "../../src/host/cli/prompts.ts";
import { ONBOARD_TEXTS } from "../../src/features/onboard/texts.en.ts";
import { ONBOARD_TEXTS_ZH } from "../../src/features/onboard/texts.zh.ts";
import { translator } from "../../src/texts/translate.ts";

const FOUND: readonly FoundModel[] = [
  { model: "anthropic/claude-sonnet-5-5", from: { type: "key", name: "ANTHROPIC_API_KEY" } },
  { model: "ollama/qwen3", from: { type: "server", url: "http://127.0.0.1:11434/v1" } },
];
const VENDORS = [{ id: "openai", name: "OpenAI", defaultModel: "gpt" }];

type Answer = string | boolean | undefined;
interface Asked {
  readonly message: string;
  readonly options?: readonly Option[];
  readonly initial?: string;
}
/** A person: gives the answers in order; `"\r"` is Enter, which takes what is offered. */
function person(...answers: readonly Answer[]): {
  readonly prompts: Prompts;
  readonly asked: readonly Asked[];
  readonly notes: readonly string[];
} {
  const left = [...answers];
  const asked: Asked[] = [];
  const notes: string[] = [];
  const next = (question: Asked): Promise<Answer> => {
    asked.push(question);
    const answer = left.shift();
    return Promise.resolve(answer === "\r" ? question.initial : answer);
  };
  const text = (answer: Answer): string | undefined => (typeof answer === "string" ? answer : undefined);
  const prompts: Prompts = {
    intro: () => {},
    outro: () => {},
    note: (line) => notes.push(line),
    select: async (message, options, initial) => text(await next({ message, options, initial })),
    text: async (message, initial, validate) => {
      const answer = text(await next({ message, initial }));
      return answer !== undefined && validate(answer) !== undefined ? undefined : answer;
    },
    password: async (message) => text(await next({ message })),
    confirm: async (message) => (await next({ message })) === true,
    wait: (_message, work) => work,
  };
  return { prompts, asked, notes };
}

/** Every model answers, and every address lists two. */
const TRYING: Dialogue["trying"] = {
  list: () => Promise.resolve({ status: "models", models: ["one", "two"] }),
  test: () => Promise.resolve({ ms: 900 }),
};

function dialogue(prompts: Prompts, more: Partial<Dialogue> = {}): Dialogue {
  return {
    prompts,
    raw: {},
    exists: false,
    path: "config.json",
    machineLanguage: "en",
    command: "margay",
    find: () => Promise.resolve(FOUND),
    vendors: VENDORS,
    vendorOfKey,
    trying: TRYING,
    nameKey: (path, value) => ({ value: `\${file:secrets/${path}}`, secrets: [{ file: path, value }] }),
    brief: false,
    ...more,
  };
}

test("on a machine without any model one Enter leads to practice mode", async () => {
  const { prompts, asked } = person("\r");
  const decided = await askSetup(
    dialogue(prompts, { brief: true, find: () => Promise.resolve([]), machineLanguage: "zh-CN" }),
  );
  expect(decided?.choices).toEqual({ language: "zh-CN", model: undefined, workspace: "workspace" });
  expect(decided?.changes.map(({ path, value }) => [path, value])).toEqual([["language", "zh-CN"]]);
  expect(asked).toHaveLength(1);
  expect(asked[0]?.message).toContain("没有找到模型");
});

test("what was found is offered first, with where it came from; practice mode is always offered", async () => {
  const { prompts, asked } = person("\r", "\r", "\r");
  const decided = await askSetup(dialogue(prompts));
  expect(asked[1]?.options?.map(({ value, hint }) => [value, hint])).toEqual([
    ["anthropic/claude-sonnet-5-5", "key in ANTHROPIC_API_KEY"],
    ["ollama/qwen3", "running at http://127.0.0.1:11434/v1"],
    ["paste", undefined],
    ["address", expect.stringContaining("OpenAI-compatible")],
    ["practice", expect.stringContaining("no language model")],
    ["other", undefined],
  ]);
  expect(decided?.choices.model).toBe("anthropic/claude-sonnet-5-5");
});

test("a pasted key is stored apart: the configuration only names it", async () => {
  const { prompts } = person("en", "paste", " sk-secret ", "openai", "\r");
  const decided = await askSetup(dialogue(prompts));
  expect(decided?.changes.map(({ path, value }) => [path, value])).toEqual([
    ["language", "en"],
    ["model", "openai/gpt"],
    ["providers.openai.apiKey", "${file:secrets/providers.openai.apiKey}"],
  ]);
  expect(decided?.changes.flatMap(({ secrets = [] }) => secrets)).toEqual([
    { file: "providers.openai.apiKey", value: "sk-secret" },
  ]);
});

test("a key pasted again is a change though the configuration names the same file", async () => {
  const raw = { model: "openai/gpt", providers: { openai: { apiKey: "${file:secrets/providers.openai.apiKey}" } } };
  const { prompts } = person("en", "paste", "sk-new", "openai", "\r", true);
  const decided = await askSetup(dialogue(prompts, { raw, exists: true }));
  expect(decided?.changes.map(({ path }) => path)).toContain("providers.openai.apiKey");
});

test("R282 a set-up that is not confirmed leaves no key behind", async () => {
  const home = mkdtempSync(join(tmpdir(), "margay-onboard-"));
  try {
    const places = placesOf({ flag: home, env: {}, userHome: home, currentDirectory: home });
    const { prompts } = person("en", "paste", "sk-secret", "openai", "\r", false);
    const nameKey: Dialogue["nameKey"] = (path, key) => setApart(places, path, key);
    expect(await askSetup(dialogue(prompts, { exists: true, nameKey }))).toBeUndefined();
    expect(existsSync(places.secrets)).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("a key that says whose it is asks for nothing else", async () => {
  const { prompts, asked } = person("paste", "sk-proj-secret");
  const decided = await askSetup(dialogue(prompts, { brief: true }));
  expect(decided?.choices.model).toBe("openai/gpt");
  expect(asked).toHaveLength(2);
});

test.each([
  ["192.168.1.20:1234", "http://192.168.1.20:1234"],
  ["box:8000/v1", "http://box:8000/v1"],
  ["models.example.com/v1", "https://models.example.com/v1"],
  ["http://models.example.com", "http://models.example.com"],
])("an address typed as %s is %s, and its list is chosen from", async (typed, baseUrl) => {
  const { prompts, asked } = person("address", typed, "two");
  const decided = await askSetup(dialogue(prompts, { brief: true }));
  expect(decided?.changes.map(({ path, value }) => [path, value])).toEqual([
    ["language", "en"],
    ["model", "custom/two"],
    ["providers.custom.api", "openai-chat"],
    ["providers.custom.baseUrl", baseUrl],
  ]);
  expect(asked).toHaveLength(3);
});

test("a server that asks for a key is given one, and one that lists a single model is asked no further", async () => {
  const { prompts, asked } = person("address", "box:8000", "sk-mine");
  const list = (_url: string, key: string | undefined): Promise<Listed> =>
    Promise.resolve(key === "sk-mine" ? { status: "models", models: ["only"] } : { status: "key" });
  const decided = await askSetup(dialogue(prompts, { brief: true, trying: { ...TRYING, list } }));
  expect(decided?.choices.model).toBe("custom/only");
  expect(decided?.changes.flatMap(({ secrets = [] }) => secrets)).toEqual([
    { file: "providers.custom.apiKey", value: "sk-mine" },
  ]);
  expect(asked).toHaveLength(3);
});

test("a model that does not answer is said to, another is asked for, and it can be taken all the same", async () => {
  const tested: ModelChoice[] = [];
  const test = (choice: ModelChoice): Promise<{ readonly why: string }> => {
    tested.push(choice);
    return Promise.resolve({ why: "the key was refused (401)" });
  };
  const { prompts, notes, asked } = person("paste", "sk-proj-old", "anyway");
  const decided = await askSetup(dialogue(prompts, { brief: true, trying: { ...TRYING, test } }));
  expect(notes).toContain("openai/gpt does not answer: the key was refused (401)");
  expect(asked[0]?.options?.map(({ value }) => value)).not.toContain("anyway");
  expect(decided?.choices.model).toBe("openai/gpt");
  expect(tested).toEqual([{ model: "openai/gpt", key: "sk-proj-old" }]);
});

test("an existing configuration is shown what would change, and only a yes changes it", async () => {
  const raw = { language: "en", model: "openai/gpt", workspace: "~/work", agent: { maxIterations: 9 } };
  const no = person("zh-CN", "ollama/qwen3", "\r", false);
  expect(await askSetup(dialogue(no.prompts, { raw, exists: true }))).toBeUndefined();
  expect(no.notes.join("\n")).toContain("openai/gpt → ollama/qwen3");
  const yes = person("zh-CN", "ollama/qwen3", "\r", true);
  const decided = await askSetup(dialogue(yes.prompts, { raw, exists: true }));
  expect(decided?.changes.map(({ path }) => path)).toEqual(["language", "model"]);
});

test("the same answers again change nothing and ask nothing more", async () => {
  const raw = { language: "en", model: "ollama/qwen3" };
  const { prompts, asked } = person("\r", "\r", "\r");
  const decided = await askSetup(dialogue(prompts, { raw, exists: true }));
  expect(decided?.changes).toEqual([]);
  expect(asked).toHaveLength(3);
  expect(asked[1]?.options?.[0]).toMatchObject({ value: "ollama/qwen3", label: "ollama/qwen3 (as now)" });
});

test("cancelling anywhere writes nothing", async () => {
  for (const answers of [
    [undefined],
    ["en", undefined],
    ["en", "practice", undefined],
    ["en", "paste", undefined],
    ["en", "paste", "sk-secret", undefined],
    ["en", "address", undefined],
    ["en", "address", "192.168.1.20:1234", undefined],
    ["en", "other", "no-slash"],
  ] as const)
    expect(await askSetup(dialogue(person(...answers).prompts))).toBeUndefined();
});

test("--yes takes what is configured, else the first found, else practice mode", () => {
  expect(defaultsOf({}, FOUND, "en").model).toBe("anthropic/claude-sonnet-5-5");
  expect(defaultsOf({ model: "a/b", language: "zh-CN", workspace: "w" }, FOUND, "en")).toEqual({
    language: "zh-CN",
    model: "a/b",
    workspace: "w",
  });
  expect(defaultsOf({}, [], "zh-CN")).toEqual({ language: "zh-CN", model: undefined, workspace: "workspace" });
});

test("R309 the file is minimal, readable by its owner alone, and keeps what it does not know", async () => {
  const home = mkdtempSync(join(tmpdir(), "margay-onboard-"));
  try {
    const path = join(home, "config.json");
    const places = placesOf({ flag: home, env: {}, userHome: home, currentDirectory: home });
    const options = { places, env: {}, t: translator("en") };
    await saveChanges(plannedChanges({}, { language: "en", model: "ollama/qwen3", workspace: "workspace" }), options);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      language: "en",
      model: "ollama/qwen3",
      budgets: FRESH_BUDGETS,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await saveChanges(
      plannedChanges(
        { language: "en", model: "ollama/qwen3" },
        { language: "en", model: undefined, workspace: "workspace" },
      ),
      options,
    );
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ language: "en", budgets: FRESH_BUDGETS });
    expect(existsSync(join(home, "secrets"))).toBe(false);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test("R315 every text of the set-up exists in both languages, with the same blanks", () => {
  const blanks = (words: string): readonly string[] => (words.match(/\{\w+\}/g) ?? []).toSorted();
  for (const [key, english] of Object.entries(ONBOARD_TEXTS))
    expect(blanks(ONBOARD_TEXTS_ZH[key as keyof typeof ONBOARD_TEXTS]), key).toEqual(blanks(english));
});
