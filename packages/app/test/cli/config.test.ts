import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findKey } from "../../src/config/schema.ts";
import { KNOBS, type Knob } from "../config/knobs.ts";
import { margay } from "./harness.ts";

/** What the contract writes where a person writes a name. */
const PLACEHOLDERS = {
  providers: "{id}",
  models: "{ref}",
  mcpServers: "{name}",
  channels: "{id}",
  people: "{name}",
  agents: "{name}",
  gateway: "{name}", // webhooks
} as const;

function shownAs({ key }: Knob): { readonly name: string; readonly secret: boolean } {
  const found = findKey(key)!.key;
  const section = found.path.split(".")[0] as keyof typeof PLACEHOLDERS; // only these have a `*`
  return { name: found.path.replace("*", PLACEHOLDERS[section]), secret: found.secret === true };
}

test.each(["default", "nanobot", "countbot"] as const)(
  "R314 R28 config show --profile %s prints the column of the contract with the source of each value",
  async (profile) => {
    const { code, out } = await margay().run(["config", "show", "--profile", profile, "--json"]);
    expect(code).toBe(0);
    const shown = new Map(
      (JSON.parse(out) as { key: string; value: unknown; source: string }[]).map((row) => [row.key, row]),
    );
    for (const knob of KNOBS.filter(({ key }) => key !== "profile")) {
      const { name, secret } = shownAs(knob);
      const changed = profile !== "default" && knob[profile] !== undefined;
      expect(shown.get(name), name).toMatchObject({
        value: secret ? "unset" : ((changed ? knob[profile] : knob.default) ?? null),
        source: changed ? `profile ${profile}` : "default",
      });
    }
    expect(shown.get("profile")).toMatchObject({ value: profile, source: "flag" });
  },
);

test("R314 every key of the contract is shown, secrets as set or unset", async () => {
  const app = margay();
  app.configure({
    providers: { openai: { apiKey: "${KEY}" } },
    tools: { webSearch: { apiKey: "BSA-planted-secret" } },
  });
  const { out } = await app.run(["config", "show"], { env: { KEY: "sk-planted-secret" } });
  expect(out).toMatch(/providers\.openai\.apiKey +set +config/);
  expect(out).toMatch(/tools\.webSearch\.apiKey +set +config/);
  expect(out).toMatch(/gateway\.token +unset +default/);
  expect(out).toMatch(/channels\.\{id\}\.token +unset +default/);
  expect(out).toMatch(/agent\.maxIterations +40 +default/);
  expect(out).not.toContain("planted");
});

test("R310 three faults are listed at once and the exit code is 78", async () => {
  const app = margay();
  app.configure({ max_iterations: 5, agent: { temperature: 9 }, model: "${NO_SUCH_VARIABLE}" });
  const { code, out, err } = await app.run(["agent", "-m", "hello"]);
  expect({ code, out }).toEqual({ code: 78, out: "" });
  for (const part of [
    "3 fault(s)",
    "max_iterations",
    "agent.maxIterations",
    "agent.temperature: 9",
    "NO_SUCH_VARIABLE",
    "[config.invalid]",
  ])
    expect(err).toContain(part);
});

test("R5 a state directory in the workspace stops the start with exit code 78 and both paths", async () => {
  const app = margay();
  app.configure({ workspace: app.directory });
  const { code, err } = await app.run(["agent", "-m", "hello"]);
  expect(code).toBe(78);
  expect(err).toContain(app.home);
  expect(err).toContain(`workspace ${app.directory},`);
});

test("CF2 set, get and unset change one key and nothing else", async () => {
  const app = margay();
  app.configure({ model: null, agent: { maxTokens: 9 } });
  expect((await app.run(["config", "set", "agent.maxIterations", "20"])).out).toBe("agent.maxIterations = 20\n");
  expect((await app.run(["config", "get", "agent.maxIterations"])).out).toBe("20\n");
  expect((await app.run(["config", "set", "fallbackModels", '["openai/gpt-5-mini"]'])).code).toBe(0);
  expect((await app.run(["config", "set", "model", "openai/gpt-5"])).code).toBe(0);
  expect((await app.run(["config", "set", "models.openai/gpt-4.1.contextWindow", "9000"])).code).toBe(0);
  expect((await app.run(["config", "unset", "agent.maxIterations"])).code).toBe(0);
  expect(JSON.parse(readFileSync(join(app.home, "config.json"), "utf8"))).toEqual({
    model: "openai/gpt-5",
    agent: { maxTokens: 9 },
    fallbackModels: ["openai/gpt-5-mini"],
    models: { "openai/gpt-4.1": { contextWindow: 9000 } },
  });
});

test("R310 config set refuses a wrong value and a wrong key", async () => {
  const app = margay();
  const value = await app.run(["config", "set", "agent.maxIterations", "0"]);
  expect(value.code).toBe(78);
  expect(value.err).toContain("agent.maxIterations: 0 is out of range");
  const key = await app.run(["config", "set", "agent.max_iterations", "5"]);
  expect(key.code).toBe(2);
  expect(key.err).toContain("Did you mean `agent.maxIterations`?");
});

test("R282 R402 a secret given to config set is in no output and not in config.json", async () => {
  const app = margay();
  const set = await app.run(["config", "set", "providers.openai.apiKey", "-"], { stdin: "sk-planted-secret\n" });
  const get = await app.run(["config", "get", "providers.openai.apiKey"]);
  const config = readFileSync(join(app.home, "config.json"), "utf8");
  expect([set.out, set.err, get.out, get.err, config].join("")).not.toContain("planted");
  expect(get.out).toBe("set\n");
  expect(readFileSync(join(app.home, "secrets", "providers.openai.apiKey"), "utf8")).toBe("sk-planted-secret");
  expect(statSync(join(app.home, "secrets")).mode & 0o777).toBe(0o700);
});

test("R309 config path names the file of --home, which wins over MARGAY_HOME", async () => {
  const app = margay();
  expect((await app.run(["config", "path"])).out).toBe(`${app.home}/config.json\n`);
  expect((await app.run(["config", "path", "--home", "/srv/other"])).out).toBe("/srv/other/config.json\n");
});

test("R312 config check names line and column of a damaged file", async () => {
  const app = margay();
  app.configure({});
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(app.home, "config.json"), '{\n"a": oops}');
  const { code, err } = await app.run(["config", "check"]);
  expect(code).toBe(78);
  expect(err).toContain("line 2, column 6");
});

test("R385 more accepted Host values have one key, not two", async () => {
  const app = margay();
  expect((await app.run(["config", "set", "gateway.allowedHosts", '["me.example"]'])).code).toBe(0);
  const { code, err } = await app.run(["config", "set", "gateway.hosts", '["me.example"]']);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("no key gateway.hosts") as string });
});

test("CH90 config check looks into the settings of a channel, as the doctor does", async () => {
  const app = margay();
  const telegram = { enabled: true, token: "1:x", allowFrom: ["1"] };
  app.configure({ channels: { telegram } });
  expect((await app.run(["config", "check"])).code).toBe(0);
  app.configure({ channels: { telegram: { ...telegram, options: { colour: "red" } } } });
  const { code, err } = await app.run(["config", "check"]);
  expect({ code, err }).toMatchObject({ code: 78, err: expect.stringContaining("options.colour") as string });
});

test.each([
  [{ chats: { g: { approvals: "here", allowFrom: ["1", "2"] } } }, "channels.telegram.chats.g.approvals", "2"],
  [{ chats: { g: { approvals: "here" } } }, "channels.telegram.chats.g.approvals", "names nobody"],
  [{ approvals: "here", chats: { g: { allowFrom: ["*"] } } }, "channels.telegram.approvals", "*"],
  [{ allowFrom: ["9"], chats: { g: { approvals: "here", allowFrom: ["1"] } } }, "chats.g.approvals", "9"],
  [{ chats: { g: { approvals: "here", allowFrom: ["1", "3"] } } }, undefined, ""],
  [{ approvals: "here", chats: { g: { approvals: "private", allowFrom: ["2"] } } }, undefined, ""],
] as const)(
  "CH73 %j: questions in a group are for operators alone, else it says who is none",
  async (own, path, who) => {
    const app = margay();
    app.configure({
      channels: { telegram: { enabled: true, token: "1:x", operators: ["1"], ...own } },
      people: { olga: { role: "operator", ids: ["telegram:3"] }, eva: { ids: ["telegram:2"] } },
    });
    const { code, err } = await app.run(["config", "check"]);
    expect(code).toBe(path === undefined ? 0 : 78);
    const parts = path === undefined ? [""] : [`${path}: here is for groups of operators alone`, who];
    expect(parts.filter((part) => !err.includes(part))).toEqual([]);
  },
);
