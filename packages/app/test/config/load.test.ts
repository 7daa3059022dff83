import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import fc from "fast-check";
import { RuntimeError, type Json, type JsonObject } from "@margay/core";
import { loadConfig, readConfigFile, type Loaded } from "../../src/config/load.ts";
import { placesOf, type Places } from "../../src/config/paths.ts";
import { changedText, saveChanges } from "../../src/config/save.ts";
import { setApart } from "../../src/config/secrets/secrets.ts";
import { agentSettings } from "../../src/config/agent-settings.ts";
import { withValue } from "../../src/config/value-at.ts";
import { watchConfig } from "../../src/config/watch.ts";
import { translator } from "../../src/texts/translate.ts";

const t = translator("en");
let directory = "";
let places: Places;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-config-")));
  places = placesOf({ flag: join(directory, "home"), env: {}, userHome: directory, currentDirectory: directory });
  mkdirSync(places.home, { mode: 0o700 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(text: string): void {
  writeFileSync(places.config, text, { mode: 0o600 });
}
function load(env: Readonly<Record<string, string>> = {}): Loaded {
  return loadConfig({ places, env, userHome: directory, t });
}
function failure(action: () => unknown): RuntimeError {
  try {
    action();
  } catch (error) {
    if (error instanceof RuntimeError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("finding the state directory", () => {
  const at = (flag: string | undefined, env: Readonly<Record<string, string>>): string =>
    placesOf({ flag, env, userHome: "/users/kim", currentDirectory: "/here" }).home;

  test("R309 MARGAY_HOME chooses it, --home wins, ~/.margay is the default", () => {
    expect(at(undefined, {})).toBe("/users/kim/.margay");
    expect(at(undefined, { MARGAY_HOME: "" })).toBe("/users/kim/.margay");
    expect(at(undefined, { MARGAY_HOME: "/srv/m" })).toBe("/srv/m");
    expect(at("~/other", { MARGAY_HOME: "/srv/m" })).toBe("/users/kim/other");
    expect(at("rel", {})).toBe("/here/rel");
  });

  test("R5 a state directory inside the workspace is refused and both paths are named", () => {
    write(JSON.stringify({ workspace: directory }));
    const error = failure(() => load());
    expect(error.code).toBe("state.inside-workspace");
    expect(error.message).toContain(places.home);
    expect(error.message).toContain(directory);
  });

  test("R5 a link to the workspace does not hide it", () => {
    symlinkSync(directory, join(directory, "link"));
    write(JSON.stringify({ workspace: join(directory, "link") }));
    expect(failure(() => load()).code).toBe("state.inside-workspace");
  });

  test("R319 the workspace lies in the state directory unless configured", () => {
    expect(load().workspace).toBe(join(places.home, "workspace"));
  });
});

describe("a file with faults", () => {
  test("R310 all faults are named at once, with path, value and nearest key", () => {
    write(
      JSON.stringify({
        max_iterations: 5,
        agent: { max_iterations: 20, temperature: 9, maxTokens: "many" },
        policy: { rules: [{ tool: "exec", action: "allow", sesion: "cli:*" }] },
      }),
    );
    const error = failure(() => load());
    expect(error.code).toBe("config.invalid");
    expect(error.message).toContain("max_iterations: unknown key. Did you mean `agent.maxIterations`?");
    expect(error.message).toContain("agent.max_iterations: unknown key. Did you mean `maxIterations`?");
    expect(error.message).toContain("agent.temperature: 9 is out of range");
    expect(error.message).toContain('agent.maxTokens: "many" is not a whole number from 1 to 2000000');
    expect(error.message).toContain("policy.rules[0].sesion: unknown key");
  });

  test("R310 R402 a faulty secret is not repeated", () => {
    write(JSON.stringify({ providers: { openai: { apiKey: ["sk-planted-secret"], apiKeyy: "sk-planted-secret" } } }));
    const error = failure(() => load());
    expect(JSON.stringify([error.message, error.details])).not.toContain("sk-planted");
    expect(error.message).toContain("Did you mean `apiKey`?");
  });

  test("R311 CF1 missing variables and files are all named", () => {
    write(
      JSON.stringify({
        model: "${MODEL_A}",
        providers: { p: { apiKey: "${env:KEY_B}", baseUrl: "${file:missing.txt}" } },
      }),
    );
    const error = failure(() => load());
    for (const name of ["MODEL_A", "KEY_B", "missing.txt"]) expect(error.message).toContain(name);
  });

  test("CH12 a number among ids is refused with a hint to quote it", () => {
    write(JSON.stringify({ channels: { telegram: { allowFrom: [123] } } }));
    expect(failure(() => load()).message).toContain(
      'channels.telegram.allowFrom[0]: 123 is a number; ids are text, write "123"',
    );
  });

  test("R310 names that would reach a prototype are refused", () => {
    write('{"agent": {"__proto__": {"maxIterations": 1}}, "providers": {"__proto__": {"apiKey": "x"}}}');
    const error = failure(() => load());
    expect(error.message).toContain("agent.__proto__");
    expect(error.message).toContain("providers.__proto__");
  });

  test("R315 faults are worded in Chinese too", () => {
    write(JSON.stringify({ agent: { maxIterations: 900 } }));
    const zh = failure(() => loadConfig({ places, env: {}, userHome: directory, t: translator("zh-CN") }));
    expect(zh.message).toContain("agent.maxIterations: 900 超出范围");
  });

  test("R312 text that is not JSON names line and column, and the file stays as it is", () => {
    write('{\n  "model": "a/b",\n  oops\n}');
    const error = failure(() => load());
    expect(error.code).toBe("config.unreadable");
    expect(error.message).toContain("line 3, column 3");
    expect(readFileSync(places.config, "utf8")).toContain("oops");
  });

  test("R402 the reason does not quote the text around the error", () => {
    write('{"providers": {"p": {"apiKey": "sk-planted-secret" oops}}}');
    expect(failure(() => load()).message).not.toContain("planted");
  });

  test("R312 an empty file is a lost one, not an empty configuration", () => {
    write("");
    expect(failure(() => load()).message).toContain("the file is empty");
  });

  test("R309 a byte order mark is tolerated", () => {
    write('\uFEFF{"language": "zh-CN"}');
    expect(load().config.language).toBe("zh-CN");
  });
});

describe("references", () => {
  test("R311 ${VAR} comes from the environment, $${ is a literal", () => {
    write(JSON.stringify({ providers: { p: { apiKey: "${KEY}", headers: { a: "x-${env:KEY}-$${KEY}" } } } }));
    const loaded = load({ KEY: "k-1" });
    expect(loaded.config.providers.p).toEqual({ apiKey: "k-1", headers: { a: "x-k-1-${KEY}" } });
    expect(loaded.secrets).toEqual(["k-1", "x-k-1-${KEY}"]);
  });

  test("R282 a stored secret is a reference to a private file", async () => {
    const named = setApart(places, "providers.p.apiKey", "k-secret");
    await saveChanges([{ path: "providers.p.apiKey", ...named }], { places, env: {}, t });
    expect(readFileSync(places.config, "utf8")).not.toContain("k-secret");
    expect(statSync(named.secrets[0]?.file ?? "").mode & 0o777).toBe(0o600);
    expect(load().config.providers.p?.apiKey).toBe("k-secret");
  });
});

describe("saving", () => {
  test("R311 CF2 order, references and other keys stay; the file is private", async () => {
    write(
      '{\n    "model": "openai/gpt-5",\n    "providers": { "openai": { "apiKey": "${X}" } },\n    "agent": { "maxTokens": 100 }\n}',
    );
    await saveChanges([{ path: "agent.maxIterations", value: 20 }], { places, env: {}, t });
    const text = readFileSync(places.config, "utf8");
    expect(JSON.parse(text)).toEqual({
      model: "openai/gpt-5",
      providers: { openai: { apiKey: "${X}" } },
      agent: { maxTokens: 100, maxIterations: 20 },
    });
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["model", "providers", "agent"]);
    expect(text).toContain('\n    "model"');
    expect(statSync(places.config).mode & 0o777).toBe(0o600);
  });

  test("the first setting of a home that is not there yet makes it, for its owner alone", async () => {
    const home = join(directory, "new/home");
    const path = join(home, "config.json");
    const fresh = placesOf({ flag: home, env: {}, userHome: directory, currentDirectory: directory });
    await saveChanges([{ path: "agent.maxIterations", value: 20 }], { places: fresh, env: {}, t });
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ agent: { maxIterations: 20 } });
    expect(statSync(join(directory, "new/home")).mode & 0o777).toBe(0o700);
  });

  test("comments of the person are read over, and stay when a key is saved", async () => {
    write('{\n\t// the cheap one\n\t"model": "openai/gpt-5", // for now\n\t"agent": { "maxTokens": 100 }\n}\n');
    const before = load().config;
    expect([before.model, before.agent.maxTokens]).toEqual(["openai/gpt-5", 100]);
    const options = { places, env: {}, t };
    await saveChanges([{ path: "agent.maxTokens", value: 200 }], options);
    await saveChanges([{ path: "persona.name", value: "Ann" }], options);
    expect(readFileSync(places.config, "utf8")).toBe(
      '{\n\t// the cheap one\n\t"model": "openai/gpt-5", // for now\n\t"agent": {\n\t\t"maxTokens": 200\n\t},\n\t"persona": {\n\t\t"name": "Ann"\n\t}\n}\n',
    );
    await saveChanges([{ path: "agent.maxTokens", value: undefined }], options);
    expect(readFileSync(places.config, "utf8")).toBe(
      '{\n\t// the cheap one\n\t"model": "openai/gpt-5", // for now\n\t"persona": {\n\t\t"name": "Ann"\n\t}\n}\n',
    );
  });

  test("a comment that does not end, and a name that reaches a prototype, are faults as without comments", () => {
    write('{"a": 1 /* open');
    expect(failure(() => load()).code).toBe("config.unreadable");
    write('{ // one\n"__proto__": { "profile": "nanobot" } }');
    expect(failure(() => load()).message).toContain("__proto__");
  });

  test("a file as margay writes it stays one: the same text as if it were written anew", () => {
    const name = fc.string().map((text) => `n${text}`); // an object puts names of whole numbers first, wherever they were set
    const value = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name, value)), (changes) => {
        let raw: JsonObject = { model: "a/b" };
        let text = `${JSON.stringify(raw, null, 2)}\n`;
        for (const [provider, option, json] of changes) {
          const names = ["channels", provider, "options", option];
          text = changedText(text, raw, names, json as Json | undefined); // fast-check's own type of JSON
          raw = withValue(raw, names, json as Json | undefined);
        }
        expect(text).toBe(`${JSON.stringify(raw, null, 2)}\n`);
      }),
      { numRuns: 200 },
    );
  });

  test("R310 a wrong value or key is refused before anything is written", async () => {
    write("{}");
    await expect(
      saveChanges([{ path: "agent.maxIterations", value: 0 }], { places, env: {}, t }),
    ).rejects.toMatchObject({ code: "config.invalid" });
    await expect(saveChanges([{ path: "agent.max_iterations", value: 5 }], { places, env: {}, t })).rejects.toThrow(
      "agent.maxIterations",
    );
    expect(readFileSync(places.config, "utf8")).toBe("{}");
  });

  test("CF2 an edit by hand since the file was shown is detected", async () => {
    write("{}");
    const seen = readConfigFile(places, t);
    write('{"language":"zh-CN"}');
    await expect(saveChanges([{ path: "model", value: "a/b" }], { places, env: {}, t, seen })).rejects.toMatchObject({
      code: "config.changed",
    });
    expect(readFileSync(places.config, "utf8")).toBe('{"language":"zh-CN"}');
  });

  /** Changes the list, while another one does before it is written. */
  const whileAnother = (other: string): Promise<unknown> => {
    const { docs } = places;
    let isFirst = true;
    const faster: typeof docs.write = (...doc) => {
      if (isFirst) write(other);
      isFirst = false;
      return docs.write(...doc);
    };
    const seen = { ...places, docs: { ...docs, write: faster } };
    return saveChanges([{ path: "tools.webFetch.allowHosts", value: ["a.test", "b.test"] }], {
      places: seen,
      env: {},
      t,
    });
  };

  test("CF2 a list that somebody else lengthened meanwhile is not put back to what it was made of", async () => {
    write('{"tools":{"webFetch":{"allowHosts":["a.test"]}}}');
    const other = '{"tools":{"webFetch":{"allowHosts":["a.test","c.test"]}}}';
    await expect(whileAnother(other)).rejects.toMatchObject({ code: "config.changed" });
    expect(readFileSync(places.config, "utf8")).toBe(other);
  });

  test("CF2 what somebody else changed beside it meanwhile stays, and both hold", async () => {
    write('{"tools":{"webFetch":{"allowHosts":["a.test"]}}}');
    await whileAnother('{"tools":{"webFetch":{"allowHosts":["a.test"]}},"language":"zh-CN"}');
    expect(JSON.parse(readFileSync(places.config, "utf8"))).toEqual({
      tools: { webFetch: { allowHosts: ["a.test", "b.test"] } },
      language: "zh-CN",
    });
  });

  test.each([
    ["gave it another one", true],
    ["named one of the environment", false],
  ])(
    "R314 a secret that was refused is kept nowhere, also where somebody else %s meanwhile",
    async (_how, isSecret) => {
      write("{}");
      const { docs } = places;
      const path = "providers.openai.apiKey";
      const save = (value: string, through = places): Promise<unknown> => {
        const { value: named, secrets } = setApart(places, path, value);
        return saveChanges([{ path, value: named, secrets }], { places: through, env: { OPENAI_KEY: "theirs" }, t });
      };
      let isFirst = true;
      const slow: typeof docs.write = async (...doc) => {
        if (isFirst) await save(isSecret ? "the-one-of-others" : "${OPENAI_KEY}");
        isFirst = false;
        return docs.write(...doc);
      };
      await expect(save("the-one-refused", { ...places, docs: { ...docs, write: slow } })).rejects.toMatchObject({
        code: "config.changed",
      });
      const kept = readdirSync(places.home, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith("apiKey"),
      );
      expect(kept.map((name) => readFileSync(join(places.home, name), "utf8"))).toEqual(
        isSecret ? ["the-one-of-others"] : [],
      );
    },
  );

  test("CF2 removing a key removes the objects it leaves empty", async () => {
    write('{"agent":{"maxTokens":5},"model":null}');
    await saveChanges([{ path: "agent.maxTokens", value: undefined }], { places, env: {}, t });
    expect(JSON.parse(readFileSync(places.config, "utf8"))).toEqual({ model: null });
  });

  test("R312 a damaged file is not overwritten", async () => {
    write("{oops");
    await expect(saveChanges([{ path: "model", value: "a/b" }], { places, env: {}, t })).rejects.toMatchObject({
      code: "config.unreadable",
    });
    expect(readFileSync(places.config, "utf8")).toBe("{oops");
  });
});

test("R12 R312 R313 a running process takes a valid change and keeps the last good one when the file is damaged", async () => {
  write("{}");
  const stop = new AbortController();
  const seen: string[] = [];
  const waiting: (() => void)[] = [];
  const note = (text: string): void => {
    seen.push(text);
    waiting.shift()?.();
  };
  const next = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));
  const running = watchConfig(
    { places, env: {}, userHome: directory, t },
    {
      changed: (loaded) => note(`temperature ${loaded.config.agent.temperature}`),
      refused: (error) => note(error.code),
    },
    stop.signal,
  );
  let noted = next();
  await saveChanges([{ path: "agent.temperature", value: 0.3 }], { places, env: {}, t });
  await noted;
  noted = next();
  write("{oops");
  await noted;
  noted = next();
  rmSync(places.config);
  mkdirSync(places.config); // there, and cannot be read
  await noted;
  stop.abort();
  await running;
  expect(seen).toEqual(["temperature 0.3", "config.unreadable", "config.unreadable"]);
});

test("R324 the settings of the core are the configured ones, in its units", () => {
  write(
    JSON.stringify({
      profile: "nanobot",
      agent: { requestTimeoutSeconds: 5, retryDelaySeconds: 0.5 },
      channels: { retryHours: 2 },
    }),
  );
  const loaded = load();
  const settings = agentSettings({ config: loaded.config, timeZone: "UTC", contextWindow: 1000 });
  expect(settings).toMatchObject({
    requestTimeoutMs: 5000,
    retryDelayMs: 500,
    deliveryRetryMs: 7_200_000,
    temperature: 0.1,
    maxRetries: 1,
    contextWindow: 1000,
    timeZone: "UTC",
  });
});
