// The bounds of the control door, at each bound and at one more.
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { connectDoor, type Connected } from "../../src/host/control/connect.ts";
import { NoDoor } from "../../src/host/control/holder.ts";
import { makeSocketPlace, socketPath } from "../../src/host/control/socket-path.ts";
import { TERMINAL_PROTOCOL } from "../../src/host/control/terminal-frames.ts";
import { margay, modelConfig } from "../cli/harness.ts";
import { start, startGateway } from "../durability/running.ts";

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "margay-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("control/connect/MAX_HEAD_BYTES: an answer of 16,384 bytes is read, a longer one is no door, ended or not", async () => {
  const path = join(temporary(), "socket");
  const heads: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {}); // who is refused leaves in the middle
    socket.write(heads.shift() ?? "");
  });
  server.listen(path);
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const start = "HTTP/1.1 101 Switching Protocols\r\nx-more: ";
  const end = "\r\n\r\n";
  const head = (bytes: number): string => start + "x".repeat(bytes - start.length - end.length) + end;
  const connect = (answer: string): Promise<Connected> => {
    heads.push(answer);
    return connectDoor(path, TERMINAL_PROTOCOL, AbortSignal.timeout(20_000));
  };
  const { socket, head: behind } = await connect(`${head(16_384)}behind`);
  expect(Buffer.from(behind).toString()).toBe("behind");
  socket.destroy();
  await expect(connect(head(16_385))).rejects.toBeInstanceOf(NoDoor);
  await expect(connect(start + "x".repeat(16_385 - start.length))).rejects.toBeInstanceOf(NoDoor);
});

test("control/socket-path/MAX_PATH_BYTES: a path of 100 bytes is the socket's, for one of 101 it is elsewhere", () => {
  const directory = temporary();
  for (const bytes of [100, 101]) {
    const control = join(directory, "c".repeat(bytes - directory.length - "//socket".length));
    mkdirSync(control, { mode: 0o700 });
    const place = makeSocketPlace(control, { XDG_RUNTIME_DIR: directory });
    expect(place.path === join(control, "socket")).toBe(bytes === 100);
    expect(socketPath(control)).toBe(place.path);
    place[Symbol.dispose]();
    expect(existsSync(join(control, "address"))).toBe(false);
  }
});

test("control/terminal-server/MAX_WAITING_BYTES: 15 answers of 1 MB wait for a terminal that does not read, with 20 it is left", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  model.replies(says("x".repeat(1024 * 1024)));
  expect(await start(app, {}, "agent", "-m", "Say much.").ended).toBe(0);
  const gateway = await startGateway(app);
  const asking = async (times: number): Promise<Connected["socket"]> => {
    const path = socketPath(join(app.home, "control"));
    const { socket } = await connectDoor(path, TERMINAL_PROTOCOL, AbortSignal.timeout(20_000));
    socket.on("error", () => {}); // it was left
    const open = { call: "open", input: { key: "cli:direct", chat: "direct" } };
    for (let id = 0; id < times; id++) socket.write(`${JSON.stringify({ id, ...open })}\n`);
    return socket;
  };
  const answered = async (socket: Connected["socket"], times: number): Promise<number> => {
    let lines = 0;
    socket.on("data", (chunk: Buffer) => {
      lines += chunk.filter((byte) => byte === 10).length;
      if (lines === times) socket.destroy();
    });
    // Not once(): that rejects when whoever left us resets the connection.
    await new Promise((resolve) => socket.resume().once("close", resolve));
    return lines;
  };
  for (const times of [15, 20]) {
    const asked = await asking(times);
    expect(await answered(await asking(1), 1)).toBe(1); // who comes later is answered later
    expect((await answered(asked, times)) === times).toBe(times === 15);
  }
  gateway.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
}, 60_000);
