// How much of a stranger's text stands in one line of the terminal: each bound at n, and at one more.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { fakeServer } from "../mcp/support.ts";
import { margay, modelConfig } from "./harness.ts";

test("chat/command/MAX_LINE_CHARS: 200 characters of a call's input are shown", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  const input = (chars: number): { readonly path: string } => ({ path: "x".repeat(chars - '{"path":""}'.length) });
  model.replies(callsTool("read_file", input(200)), callsTool("read_file", input(201)), says("done"));
  const { err } = await app.run(["agent", "-m", "go"]);
  expect(err.split("\n").filter((line) => line.startsWith("· read_file"))).toEqual([
    `· read_file ${JSON.stringify(input(200))}`,
    `· read_file ${JSON.stringify(input(201)).slice(0, 200)}…`,
  ]);
});

test("mcp/command/MAX_LINE_CHARS: 100 characters of a tool's description are listed", async () => {
  const app = margay();
  const tools = [100, 101].map((chars) => ({ name: `t${chars}`, description: "d".repeat(chars) }));
  app.configure({ mcpServers: { fake: fakeServer({ tools }).config } });
  const { out } = await app.run(["mcp", "test", "fake"]);
  expect(out.match(/d{50,}.*/g)).toEqual(["d".repeat(100), `${"d".repeat(100)}…`]);
});

test("skills/report/MAX_LISTED: 20 hosts of a skill are named, of one more how many there are", async () => {
  const app = margay();
  const shown = async (hosts: number): Promise<string | undefined> => {
    const directory = join(app.home, "workspace/skills/far");
    mkdirSync(directory, { recursive: true });
    const text = Array.from({ length: hosts }, (_, n) => `https://h${n + 10}.example/`).join(" ");
    writeFileSync(join(directory, "SKILL.md"), `---\nname: far\ndescription: Goes far\n---\n${text}\n`);
    return /h28\.example (h29.*)$/m.exec((await app.run(["skills", "show", "far"])).out)?.[1];
  };
  expect([await shown(20), await shown(21)]).toEqual(["h29.example", "h29.example … (21)"]);
});
