/** Files, both ways: what a person sends, whatever it is called, and what cannot be had; what we send. */
import assert from "node:assert/strict";
import type { ContentPart, MediaPart } from "../../contract/message.ts";
import { sessionKeyOf } from "../../lib/session-key.ts";
import { says } from "../mock-llm/script.ts";
import type { Case } from "./cases.ts";
import { always, answering, eventually, heard, type House, type Margay, sendTo, wordsOf } from "./house.ts";
import { allAnswered } from "./inbound.ts";
import { mostHeld } from "./most-held.ts";
import type { PeerFile } from "./peer.ts";

const TEN = 10 * 1024 * 1024;
const MOST_HELD = 2 * 1024 * 1024;
/** What the strictest platforms allow. */
const ACK_MS = 3000;
const TOO_LARGE = 26 * 1024 * 1024;
const PNG: Uint8Array = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(64, 1)]);

function file(name: string, bytes: Uint8Array | string = name, mediaType = "text/plain"): PeerFile {
  return { name, mediaType, bytes: Buffer.from(bytes) };
}

function filesIn(parts: readonly ContentPart[]): readonly MediaPart[] {
  return parts.flatMap((part) => (part.type === "media" ? [part] : []));
}

/** What comes of a message with these files. */
async function received(
  house: House,
  files: readonly PeerFile[],
  written = (): void => {},
): Promise<readonly ContentPart[]> {
  house.model.replies(...always(says("seen")));
  const margay = await house.start();
  const { person, chat } = await house.guest();
  await house.write(person, chat, "look", { files });
  written();
  await eventually("it is heard", async () => (await heard(margay, chat)).length > 0);
  await margay.agent.idle();
  return (await heard(margay, chat)).flat();
}

export function media(test: Case): void {
  test(
    "CH126 CH77 ten files of one message are one turn, in their order",
    async (house) => {
      const names = Array.from({ length: 10 }, (_, index) => `part${index}.txt`);
      const parts = await received(
        house,
        names.map((name) => file(name)),
      );
      assert.deepEqual(
        filesIn(parts).map(({ name }) => name),
        names,
      );
      assert.equal(house.model.requests.length, 1);
    },
    { needs: ["files", "albums"] },
  );

  test(
    "CH126 CH76 one file of ten that cannot be had is said, the others are there, and it is one turn",
    async (house) => {
      house.peer.loseFile?.("gone");
      const names = Array.from({ length: 10 }, (_, index) => `part${index}.txt`);
      const parts = await received(
        house,
        names.map((name) => file(name)),
      );
      assert.equal(filesIn(parts).length, 9);
      assert.match(wordsOf(parts), /could not be fetched/);
      assert.equal(house.model.requests.length, 1);
    },
    { needs: ["files", "albums", "lost-files"] },
  );

  sizes(test);
  hangingFile(test);

  test(
    "CH127 CH76 whatever a file is called it gets a name without a path, in one line, and no longer than names are",
    async (house) => {
      const { model } = house;
      model.replies(...always(says("seen")));
      const margay = await house.start();
      for (const name of ["../../etc/passwd", `${"long".repeat(75)}.txt`, "two\nlines.txt", "..\\win.ini"]) {
        const { person, chat } = await house.guest();
        await house.write(person, chat, "look", { files: [file(name)] });
        await eventually("it is heard", async () => (await heard(margay, chat)).length > 0);
        await margay.agent.idle();
        const [part] = filesIn((await heard(margay, chat)).flat());
        assert.ok(part?.name !== undefined && part.name.length <= 255, `${part?.name?.length}`);
        assert.doesNotMatch(part.name, /[/\\\n]/);
      }
    },
    { needs: ["files"] },
  );

  test(
    "CH127 a file that says that it is something else is what its bytes are, for the model",
    async (house) => {
      await received(house, [file("picture.txt", PNG, "text/plain")]);
      const [request] = house.model.requests;
      assert.equal(request?.images[0]?.mediaType, "image/png");
    },
    { needs: ["files"] },
  );

  lostFiles(test);
  filesOut(test);
  largeOut(test);
}

function sizes(test: Case): void {
  test(
    "CH127 CH81 a file of ten megabytes comes in as it is, with at most two more in memory than without",
    async (house) => {
      const bytes = Buffer.alloc(TEN, "margay ");
      const files = [file("large.bin", bytes, "application/octet-stream")];
      let parts: readonly ContentPart[] = [];
      const most = await mostHeld(TEN, async (begun) => (parts = await received(house, files, begun)));
      const [part] = filesIn(parts);
      assert.equal(part?.blob.bytes, TEN);
      assert.ok(most < MOST_HELD, `${Math.round(most / 1024)} KiB were held`);
    },
    { needs: ["files"] },
  );

  test(
    "CH127 CH76 a file that is larger than 25 MB is said by its name, and is not there; its message is not lost",
    async (house) => {
      const bytes = Buffer.alloc(TOO_LARGE, "margay ");
      const parts = await received(house, [file("huge.bin", bytes, "application/octet-stream")]);
      assert.deepEqual(filesIn(parts), []);
      assert.match(wordsOf(parts), /huge\.bin/);
    },
    { needs: ["files"] },
  );
}

function hangingFile(test: Case): void {
  test(
    "CH25 CH76 a message whose file hangs is taken at once; the process is killed, and the next one answers it once, with the file",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(says("seen")));
      const first = await house.start();
      const { person, chat } = await house.guest();
      peer.loseFile?.("hang");
      const message = await house.write(person, chat, "look", { files: [file("a.txt")] });
      const waits = async (): Promise<boolean> =>
        (await first.agent.sessions.find(sessionKeyOf(chat)))?.state.pending.length === 1;
      await eventually("it is taken", waits, ACK_MS);
      await eventually("it is acknowledged", () => peer.acknowledged?.(message, first.host) !== false, ACK_MS);
      assert.equal(model.requests.length, 0);
      await first.end();
      const second = await house.start();
      await eventually("it is heard", async () => (await heard(second, chat)).length > 0);
      await second.agent.idle();
      const parts = (await heard(second, chat)).flat();
      assert.deepEqual(
        filesIn(parts).map(({ name }) => name),
        ["a.txt"],
      );
      assert.equal(model.requests.length, 1);
    },
    { needs: ["files", "lost-files"] },
  );
}

function lostFiles(test: Case): void {
  for (const [how, what] of [
    ["gone", "a file that is gone"],
    ["page", "a page in place of a file"],
  ] as const)
    test(
      `CH128 CH76 ${what} is said to the model, and the message is not lost`,
      async (house) => {
        house.peer.loseFile?.(how);
        const parts = await received(house, [file("a.pdf", "%PDF-1.4", "application/pdf")]);
        const [kept] = filesIn(parts);
        if (kept === undefined) assert.match(wordsOf(parts), /a\.pdf.*could not be fetched/);
        // Where the platform says that all is well it is a file, but none of the kind that was announced.
        else assert.deepEqual([how, kept.mediaType], ["page", "text/plain"]);
      },
      { needs: ["files", "lost-files"] },
    );
}

function filesOut(test: Case): void {
  test(
    "CH155 CH80 files leave with their names behind the text; one that is too large, or empty, is said in words",
    async (house) => {
      const margay = await house.start();
      const { chat } = await house.guest();
      const kept = async (name: string, bytes: Uint8Array): Promise<MediaPart> =>
        margay.host.media.save(bytes, { name, mediaType: "application/pdf" });
      const most = margay.channel.can.media?.maxBytes ?? 0;
      const parts = [
        { type: "text", text: "here they are" } as const,
        await kept("list.pdf", Buffer.from("%PDF-1.4")),
        await kept("huge.pdf", Buffer.alloc(most + 1)),
      ];
      await sendTo(margay, chat, parts);
      const names = async (): Promise<readonly string[]> => (await house.shown(chat)).flatMap(({ files }) => files);
      await eventually("the file", async () => (await names()).includes("list.pdf"));
      const said = (await house.texts(chat, 1)).join("\n");
      assert.match(said, /here they are/);
      assert.match(said, /huge\.pdf/);
      assert.equal((await names()).includes("huge.pdf"), false);
    },
    { needs: ["files-out"] },
  );

  test(
    "CH156 CH51 a file that fails after its text does not bring the text again, and holds up nothing behind it",
    async (house) => {
      const { peer, model } = house;
      model.replies(...always(answering));
      const margay = await house.start();
      const { person, chat } = await house.guest();
      const part = await margay.host.media.save(Buffer.from("%PDF-1.4"), {
        name: "list.pdf",
        mediaType: "application/pdf",
      });
      peer.failFile?.(1);
      await sendTo(margay, chat, [{ type: "text", text: "here it is" }, part]);
      await house.write(person, chat, "to 1");
      await allAnswered(house, chat, [1]);
      const said = (await house.shown(chat)).map(({ text }) => text).join("\n");
      assert.equal(said.split("here it is").length - 1, 1);
    },
    { needs: ["files-out"] },
  );
}

/** Made each time anew, so that nobody holds it. */
function large(): Buffer {
  return Buffer.alloc(TEN, "margay ");
}

function keepLarge({ host }: Margay): Promise<MediaPart> {
  return host.media.save(large(), { name: "large.bin", mediaType: "application/octet-stream" });
}

function largeOut(test: Case): void {
  test(
    "CH155 CH81 a file of ten megabytes leaves as it is, with at most two more in memory than without",
    async (house) => {
      const margay = await house.start();
      const { chat } = await house.guest();
      const part = await keepLarge(margay);
      const most = await mostHeld(TEN, async () => {
        await sendTo(margay, chat, [part]);
        await margay.agent.idle();
      });
      const contents = (await house.shown(chat)).flatMap((one) => one.contents ?? []);
      assert.deepEqual(
        contents.map((one) => large().equals(one)),
        [true],
      );
      assert.ok(most < MOST_HELD, `${Math.round(most / 1024)} KiB were held`);
    },
    { needs: ["files-out"] },
  );
}
