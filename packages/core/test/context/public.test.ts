import { mkdir, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";

import { createAgent, createContext, createRegistry, createSeedContextBuilder } from "../../src/index.ts";
import { environment, project, readTextFile, sha256, systemClock, systemIds } from "../../src/internal.ts";
import { says, startMockModel } from "../../src/testing.ts";
import { tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { chatProvider } from "../support/wires.ts";

test("R124 a context builder is made of workspace, memory, skills and persona, with what the package exports", async () => {
  await using folder = await temporaryFolder();
  await using model = await startMockModel();
  const workspace = folder.at("workspace");
  await mkdir(folder.at("workspace", "memory"), { recursive: true });
  await writeFile(folder.at("workspace", "SOUL.md"), "Be brief.");
  await writeFile(folder.at("workspace", "memory", "MEMORY.md"), "- Ada likes tea");
  const tools = createRegistry([tool("note")]);
  const context = createContext({
    workspace,
    language: "en",
    timeZone: "UTC",
    clock: systemClock(),
    persona: { name: "Marge", custom: "Speaks like a librarian." },
    memory: { inject: true, maxChars: 8000 },
    skills: {
      list: () =>
        Promise.resolve([
          {
            name: "weather",
            description: "Reads barometers.",
            location: "/skills/weather",
            always: false,
            missing: [],
          },
        ]),
      read: () => Promise.resolve(""),
    },
    environment: environment(),
    tools: () => tools.list(),
    readFile: readTextFile(workspace),
    hash: sha256,
    project,
  });
  await using agent = createAgent({
    directory: folder.at("home"),
    workspace,
    provider: chatProvider(model),
    model: { provider: "mock", model: "m" },
    tools,
    context,
    ids: systemIds(),
  });
  model.replies(says("hello"));
  await agent.send("me", "hi").finished;
  const system = model.requests[0]?.system ?? "";
  for (const text of ["You are Marge", "Speaks like a librarian.", "Be brief.", "Ada likes tea", "Reads barometers."])
    expect(system).toContain(text);

  const session = await agent.sessions.find("me");
  const seed = createSeedContextBuilder({
    systemPrompt: () => Promise.resolve(session?.state.prefix?.system ?? ""),
    now: () => ({ year: 2026, month: 11, day: 21, hour: 4, minute: 5, second: 0, weekday: "Saturday", offset: 0 }),
    mediaOrder: "media-first",
    readBytes: () => Promise.resolve(undefined),
  });
  const messages = await seed.buildMessages({ history: [], currentMessage: "hi", channel: "cli", chatId: "me" });
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "user"]);
  expect(messages[0]?.content).toBe(system);
});
