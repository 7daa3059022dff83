import { execSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { findingsOf } from "../../src/host/finding.ts";
import { translator } from "../../src/texts/translate.ts";
import { margay, modelConfig } from "./harness.ts";

interface Report {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly id: string;
    readonly level: string;
    readonly text: string;
    readonly repair?: string;
  }[];
}

test("CF4 a fresh installation has no problem; practice mode is a warning with the command that ends it", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 } });
  const { code, out } = await app.run(["doctor", "--json"]);
  const report = JSON.parse(out) as Report;
  expect({ code, ok: report.ok }).toEqual({ code: 0, ok: true });
  expect(report.findings.find((one) => one.id === "model")).toMatchObject({
    level: "warning",
    repair: "margay onboard",
  });
});

test("R287 wide permissions are a problem and --fix narrows them", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 } });
  chmodSync(join(app.home, "config.json"), 0o644);
  const found = await app.run(["doctor"]);
  expect(found.code).toBe(1);
  expect(found.out).toContain("config.json can be read by others (mode 644)");
  expect(found.out).toContain("repair: margay doctor --fix");
  expect((await app.run(["doctor", "--fix"])).code).toBe(0);
  expect(statSync(join(app.home, "config.json")).mode & 0o777).toBe(0o600);
});

test("CF4 faults of the configuration are a problem, and the machine is checked all the same", async () => {
  const app = margay();
  app.configure({ agent: { maxIterations: 0 } });
  const { code, out } = await app.run(["doctor", "--json"]);
  const { findings } = JSON.parse(out) as Report;
  expect(code).toBe(1);
  expect(findings.find((one) => one.id === "config")?.text).toContain("agent.maxIterations: 0 is out of range");
  expect(findings.some((one) => one.id === "disk")).toBe(true);
});

test("CF4 the model is tested by asking it", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({ ...modelConfig(model.url), gateway: { port: 0 } });
  model.replies(says("ok"));
  expect((await app.run(["doctor"])).out).toContain("model mock/mock-model answered in");
  expect((await app.run(["models", "test"])).code).toBe(0);
  app.configure({ model: "openai/gpt-5", gateway: { port: 0 } });
  const keyless = await app.run(["doctor"]);
  expect(keyless.code).toBe(1);
  expect(keyless.out).toContain("OPENAI_API_KEY");
  expect(keyless.out).toContain("repair: margay config set providers.openai.apiKey -");
  expect((await app.run(["models", "test", "--json"])).lines).toEqual([
    { model: "openai/gpt-5", ok: false, error: { code: "provider.no-key", message: expect.any(String) } },
  ]);
});

test("CF4 a check that cannot look is a finding, not the end of the others", async () => {
  const about = { t: translator("en"), signal: new AbortController().signal };
  const look = (): never => {
    throw new Error("the disk is gone");
  };
  const [finding] = await findingsOf("disk", about, look);
  expect(finding).toMatchObject({ id: "disk", level: "problem", text: expect.stringContaining("the disk is gone") });
});

test("CH12 a channel that admits everybody or nobody is a warning", async () => {
  const app = margay();
  for (const [allowFrom, said] of [
    [["*"], "channel webhook admits everybody"],
    [[], "channel webhook is on and admits nobody"],
  ] as const) {
    app.configure({ gateway: { port: 0 }, channels: { webhook: { enabled: true, allowFrom } } });
    expect((await app.run(["doctor"])).out).toContain(said);
  }
});

test("CF4 a port that another program holds is a problem", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const app = margay();
  app.configure({ gateway: { port } });
  const { code, out } = await app.run(["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain(`port ${port} on 127.0.0.1 is in use`);
});

test("models use changes the configuration, names a missing key, and refuses unknown names", async () => {
  const app = margay();
  const used = await app.run(["models", "use", "openai/gpt-5"]);
  expect(used).toMatchObject({ code: 0, out: "openai/gpt-5 is used from the next turn on.\n" });
  expect(used.err).toContain("OPENAI_API_KEY");
  expect((await app.run(["config", "get", "model"])).out).toBe("openai/gpt-5\n");
  const unknown = await app.run(["models", "use", "opnai/gpt-5"]);
  expect(unknown.code).toBe(78);
  expect(unknown.err).toContain("[provider.unknown]");
});

const execOf = (out: string): Report["findings"][number] | undefined =>
  (JSON.parse(out) as Report).findings.find((one) => one.id === "exec");

test("R108 R362 doctor tries the sandbox; without one it names the repair, and `none` is a warning", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 } });
  expect(execOf((await app.run(["doctor", "--json"])).out)).toMatchObject({
    level: "ok",
    // As root it names the user that the workspace has for itself.
    text: expect.stringMatching(
      /^commands run in a sandbox \(bubblewrap\)( as user 6\d{4}, .*)?; its self-test passed$/,
    ) as unknown,
  });
  app.configure({ gateway: { port: 0 }, tools: { exec: { sandbox: "srt" } } });
  expect(execOf((await app.run(["doctor", "--json"])).out)).toMatchObject({
    level: "problem",
    repair: "npm install -g @anthropic-ai/sandbox-runtime",
  });
  app.configure({ gateway: { port: 0 }, tools: { exec: { sandbox: "none" } } });
  expect(execOf((await app.run(["doctor", "--json"])).out)).toMatchObject({
    level: "warning",
    repair: "margay config set tools.exec.sandbox required",
  });
  expect((await app.run(["status"])).out).toContain("commands: not confined (tools.exec.sandbox none)");
});

test("as root git refuses the workspace, which is its own user's: doctor names the command, until it was given", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 } });
  const workspace = join(app.home, "workspace");
  mkdirSync(join(workspace, ".git"), { recursive: true });
  const env = { GIT_CONFIG_GLOBAL: join(app.directory, "gitconfig") };
  const hint = async (): Promise<string | undefined> => {
    const report = JSON.parse((await app.run(["doctor", "--json"], { env })).out) as Report;
    return report.findings.find(({ id }) => id === "exec-git")?.text;
  };
  const isRoot = process.getuid?.() === 0;
  const command = `git config --global --add safe.directory '${workspace}'`;
  expect((await hint())?.includes(command) ?? false).toBe(isRoot);
  execSync(command, { env: { ...process.env, ...env } });
  expect(await hint()).toBeUndefined();
});

test("R108 a slip of the pen in tools.exec.sandbox starts nothing", async () => {
  const app = margay();
  app.configure({ gateway: { port: 0 }, tools: { exec: { sandbox: "requierd" } } });
  const { code, err } = await app.run(["agent", "-m", "hi"]);
  expect(code).not.toBe(0);
  expect(err).toContain("tools.exec.sandbox");
});

test("CF4 a model for speech that cannot be asked is a problem; none set is no finding", async () => {
  const app = margay();
  const speech = async (agent: object): Promise<unknown> => {
    app.configure({ agent, gateway: { port: 0 } });
    const { findings } = JSON.parse((await app.run(["doctor", "--json"])).out) as Report;
    return findings.find(({ id }) => id === "transcription");
  };
  expect(await speech({})).toBeUndefined();
  expect(await speech({ transcriptionModel: "anthropic/claude-opus-5" })).toMatchObject({
    level: "problem",
    repair: "margay config set agent.transcriptionModel openai/gpt-4o-mini-transcribe",
  });
  expect(await speech({ transcriptionModel: "openai/whisper-1" })).toMatchObject({
    level: "problem",
    repair: "margay config set providers.openai.apiKey -",
  });
  expect(await speech({ transcriptionModel: "ollama/whisper" })).toMatchObject({
    level: "ok",
    text: "recordings are written down by ollama/whisper",
  });
});

test("CH78a a voice that cannot be had is a problem that is repaired; without ffmpeg it is a file; none set is no finding", async () => {
  const app = margay();
  const tools = join(app.directory, "tools");
  mkdirSync(tools, { recursive: true });
  writeFileSync(join(tools, "reads-aloud"), "#!/bin/sh\n", { mode: 0o755 });
  const found = async (speech: object, PATH = tools): Promise<unknown> => {
    app.configure({ speech, gateway: { port: 0 } });
    const { findings } = JSON.parse((await app.run(["doctor", "--json"], { env: { PATH } })).out) as Report;
    return findings.find(({ id }) => id === "speech");
  };
  expect(await found({})).toBeUndefined();
  expect(await found({ command: ["no-such-program"], reply: "never" })).toBeUndefined();
  expect(await found({ command: ["no-such-program"] })).toMatchObject({
    level: "problem",
    text: "speech.command starts no-such-program, which is not installed: replies are text alone",
    repair: "margay config unset speech.command",
  });
  expect(await found({ command: ["reads-aloud"] })).toMatchObject({ level: "warning" });
  writeFileSync(join(tools, "ffmpeg"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await found({ command: ["reads-aloud"] })).toMatchObject({ level: "ok" });
  expect(await found({ model: "anthropic/claude-opus-5" })).toMatchObject({
    level: "problem",
    repair: "margay config set speech.model openai/gpt-4o-mini-tts",
  });
  expect(await found({ model: "openai/tts-1" })).toMatchObject({
    level: "problem",
    repair: "margay config set providers.openai.apiKey -",
  });
  expect(await found({ model: "ollama/tts" })).toMatchObject({ level: "ok" });
});

test("SC7 a file system that keeps no access times is a warning that names the mount option, in both languages", async () => {
  const folder = mkdtempSync(join(tmpdir(), "margay-noatime-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mapped = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const script =
    'mount -t tmpfs -o "$1" tmpfs "$2" && mkdir "$2/workspace" && exec "$3" --conditions=margay-source "$4" doctor';
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const doctor = (option: string, language: string): string => {
    const args = [...mapped, "--mount", "sh", "-c", script, "sh", option, folder, process.execPath, main];
    const env = { ...process.env, MARGAY_HOME: folder, LC_ALL: language };
    return spawnSync("unshare", args, { env, encoding: "utf8" }).stdout;
  };
  expect(doctor("noatime", "C.UTF-8")).toContain("label tracking: coarse (noatime)");
  expect(doctor("noatime", "zh_CN.UTF-8")).toContain("标签跟踪：粗略（noatime）");
  expect(doctor("relatime", "C.UTF-8")).toContain("label tracking: exact");
});
