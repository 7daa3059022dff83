// R140, R411: pictures and text in the order of `context.mediaOrder`, in the body that leaves, on every wire.
import { expect, test } from "vitest";
import type { ContentPart } from "../../src/contract/message.ts";
import { says, startMockModel } from "../../src/testing.ts";
import { CHAT, startAgent } from "../support/agent.ts";
import { WIRES } from "../support/wires.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
/** Still the same picture: what stands behind its end is not read. */
const pictures = [0, 1, 2].map((nth) => Buffer.concat([PIXEL, Buffer.from([nth])]));

for (const [wire, connect] of Object.entries(WIRES))
  for (const mediaOrder of ["media-first", "text-first"] as const)
    for (const count of [1, 3])
      for (const sentFirst of ["text", "media"] as const)
        test(`R140 R350 R411 ${wire}, ${mediaOrder}: ${count} picture(s), sent with the ${sentFirst} first`, async (t) => {
          await using model = await startMockModel();
          const { agent } = await startAgent(t, { provider: connect(model), settings: { mediaOrder } });
          const media = await Promise.all(
            pictures.slice(0, count).map(async (bytes): Promise<ContentPart> => {
              return { type: "media", mediaType: "image/png", blob: await agent.blobs.put(bytes) };
            }),
          );
          const text: ContentPart = { type: "text", text: "what is this?" };
          model.replies(says("a dot"));
          await agent.send(CHAT, sentFirst === "text" ? [text, ...media] : [...media, text]).finished;
          const parts = model.requests[0]?.messages.findLast(({ role }) => role === "user")?.parts ?? [];
          const shown = parts.flatMap((part) =>
            part.type === "image"
              ? [part.data]
              : part.type === "text" && part.text.includes("what is this")
                ? ["text"]
                : [],
          );
          const images = pictures.slice(0, count).map((bytes) => bytes.toString("base64"));
          expect(shown).toEqual(mediaOrder === "media-first" ? [...images, "text"] : ["text", ...images]);
        });
