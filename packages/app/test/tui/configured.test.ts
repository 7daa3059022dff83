// A chat that stays open follows config.json: the whole program in a real terminal, the model on a real socket.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { placesOf } from "../../src/config/paths.ts";
import { saveChanges } from "../../src/config/save.ts";
import { translator } from "../../src/i18n/translate.ts";
import { HAS_TMUX, startInTerminal } from "./support.ts";

const MAIN = join(dirname(fileURLToPath(import.meta.url)), "../../src/main.ts");

test.skipIf(!HAS_TMUX)(
  "R12 R313 an open chat takes up a changed model and temperature, and shows the model",
  async () => {
    const model = await startMockModel();
    onTestFinished(() => model.close());
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-tui-")));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
    const home = join(directory, "home");
    const places = placesOf({ flag: home, env: {}, userHome: directory, currentDirectory: directory });
    mkdirSync(places.home);
    const mock = { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "test-key-for-mock" };
    writeFileSync(places.config, JSON.stringify({ model: "mock/first", providers: { mock } }));
    model.replies(says("one"), says("two"));

    await using chat = startInTerminal({ directory }, () => [
      "env",
      `HOME=${directory}`,
      process.execPath,
      "--conditions=margay-source",
      MAIN,
      "--home",
      home,
    ]);
    await chat.shows("mock/first");
    const changes = [
      { path: "agent.temperature", value: 0.4 },
      { path: "model", value: "mock/second" },
    ];
    saveChanges(changes, { path: places.config, env: {}, t: translator("en") });
    await chat.shows("mock/second");
    chat.type("hello");
    chat.press("Enter");
    await chat.shows(/^one/m);
    expect(model.requests[0]?.body).toMatchObject({ model: "second", temperature: 0.4 });
  },
);
