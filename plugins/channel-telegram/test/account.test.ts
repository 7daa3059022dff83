// The channel as the program makes it, with settings that name another bot.
import { join } from "node:path";
import { openBlobs, silentLog, systemClock } from "@margay/core/internal";
import { expect, onTestFinished, test } from "vitest";
import { createChannel } from "../../../packages/app/src/features/channels/list.ts";
import { startTelegram, type Telegram } from "./emulator/telegram.ts";
import { run, temporary } from "./support.ts";

async function bot(token: string): Promise<Telegram> {
  const telegram = await startTelegram({ token });
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  return telegram;
}

test("CH61 CH92 the place in the stream of one bot skips nothing that waits for another", async () => {
  const folder = temporary();
  const start = ({ token, url: baseUrl }: Telegram) =>
    run(
      createChannel(
        "talk",
        { enabled: true, kind: "telegram", token, baseUrl },
        {
          home: folder,
          folder: join(folder, "channels"),
          blobs: () => openBlobs(join(folder, "blobs")),
          clock: systemClock(),
          log: silentLog,
        },
      ),
    );
  const [first, second] = [
    await bot("111:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    await bot("222:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"),
  ];
  const [anna, bert] = [first.person("Anna"), second.person("Bert")];
  first.skipUpdateIds(1_000_000);
  first.write(anna, first.privateChat(anna), "to the first");
  const before = start(first);
  await before.received(1);
  await before.stop();
  second.write(bert, second.privateChat(bert), "to the second");
  const messages = await start(second).received(1);
  expect(messages[0]?.parts).toEqual([{ type: "text", text: "to the second" }]);
});
