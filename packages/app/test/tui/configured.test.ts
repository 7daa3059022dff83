// A chat that stays open follows config.json: the whole program in a real terminal, the model on a real socket.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { saveChanges } from "../../src/config/save.ts";
import { translator } from "../../src/texts/translate.ts";
import { program } from "./program.ts";
import { HAS_TMUX } from "./support.ts";

test.skipIf(!HAS_TMUX)(
  "R12 R313 an open chat takes up a changed model and temperature, and shows the model",
  async () => {
    const { model, places, start } = await program();
    model.replies(says("one"), says("two"));

    await using chat = start();
    await chat.shows("mock/first");
    const changes = [
      { path: "agent.temperature", value: 0.4 },
      { path: "model", value: "mock/second" },
    ];
    await saveChanges(changes, { places, env: {}, t: translator("en") });
    await chat.shows("mock/second");
    chat.type("hello");
    chat.press("Enter");
    await chat.shows(/^ {3}one/m);
    expect(model.requests[0]?.body).toMatchObject({ model: "second", temperature: 0.4 });
  },
);
