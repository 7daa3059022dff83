// A file that somebody sends, through the whole program: announced, fetched from where the settings say, and read by the model.
import { says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { startGateway } from "../../../packages/app/test/gateway/support.ts";
import { startTelegram } from "./emulator/telegram.ts";

test("CH25 CH76 CH82 in the program a message waits for its file, from the host of baseUrl, and the model reads its name", async () => {
  const telegram = await startTelegram();
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna");
  const chat = telegram.privateChat(anna);
  const gateway = await startGateway(
    { onTestFinished },
    {
      config: {
        channels: {
          telegram: { enabled: true, token: telegram.token, baseUrl: telegram.url, operators: [String(anna.id)] },
        },
      },
    },
  );
  gateway.model.replies(says("A list."));
  telegram.write(anna, chat, { document: { bytes: Buffer.from("milk"), name: "list.txt" }, text: "look" });
  await telegram.until(() => telegram.shown(chat).length === 2);
  const said = JSON.stringify(gateway.model.requests[0]?.messages.at(-1));
  expect(said).toContain("list.txt");
  expect(said).not.toContain("could not be fetched");
});
