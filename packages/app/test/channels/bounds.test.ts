// How much one message of a channel holds: at n, and at one more.
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { isTimely } from "../../src/features/channels/webhook/signature.ts";
import { running } from "./running.ts";
import { postSigned } from "./support.ts";

test("a reply of 100,000 characters is one POST, one of a character more are two", async () => {
  const { app, model, receiver, port } = await running({ allowFrom: ["ada"] });
  const sizes = async (chars: number, id: string): Promise<readonly number[]> => {
    const before = receiver.received.length;
    model.replies(says("r".repeat(chars)));
    await postSigned(port, { id, chat: id, sender: "ada", text: "go" }); // a chat each: what one may use of a day is less than both
    await receiver.took(before + 1);
    await app.agent.idle();
    return receiver.received.slice(before).map(({ body }) => String(body["text"]).length);
  };
  expect(await sizes(100_000, "m1")).toEqual([100_000]);
  expect(await sizes(100_001, "m2")).toEqual([100_000, 1]);
});

test("signature/WINDOW_SECONDS: a signature is believed for 300 seconds either way, not for one more", () => {
  const at = (seconds: number): boolean => isTimely(String(1_790_000_000 + seconds), 1_790_000_000_000);
  expect([-301, -300, 300, 301].map(at)).toEqual([false, true, true, false]);
});
