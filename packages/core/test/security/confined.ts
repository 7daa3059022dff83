// `exec` in the real sandbox with a way out; the upstream stands for every public address.
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ToolContext, ToolResult } from "../../src/contract/tool.ts";
import { execTool, type ExecInput } from "../../src/builtin/exec/exec.ts";
import type { EgressEntry } from "../../src/machine/egress/hosts.ts";
import { openEgressDoor } from "../../src/machine/egress/door.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import type { EgressAttempt, EgressTraffic } from "../../src/machine/egress/proxy.ts";
import { openSandbox } from "../../src/machine/sandbox/open-sandbox.ts";
import { createMachine, textOf } from "../builtin/machine.ts";

export interface Confined {
  readonly attempts: readonly (EgressAttempt & { readonly call: string; readonly command: string })[];
  readonly traffic: readonly EgressTraffic[];
  readonly dials: readonly string[];
  /** Names that were looked up. */
  readonly names: readonly string[];
  /** A port of this machine that somebody listens on. */
  readonly port: number;
  readonly workspace: string;
  /** Sockets that are there now. */
  doors(): readonly string[];
  /** With a way out, unless the input says otherwise. */
  run(command: string, input?: Partial<ExecInput>, context?: Partial<ToolContext>): Promise<string>;
  result(
    command: string,
    input?: Partial<ExecInput>,
    context?: Partial<ToolContext>,
  ): Promise<Exclude<ToolResult, string>>;
}

export const HI = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\noutside";

/** @param hosts `tools.exec.network`. @param answer What every address says. */
export async function confined(hosts: readonly EgressEntry[], answer = HI): Promise<Confined> {
  const machine = createMachine();
  const upstream = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const attempts: Confined["attempts"][number][] = [];
  const traffic: EgressTraffic[] = [];
  const dials: string[] = [];
  const names: string[] = [];
  onTestFinished(async () => {
    await new Promise((resolve) => upstream.close(resolve));
    machine[Symbol.dispose]();
  });
  const { workspace, state } = machine;
  const directory = join(state, "egress");
  const sandbox = openSandbox({ mode: "required", workspace, state, searchPath: process.env["PATH"] ?? "" });
  const tool = execTool({
    directory: join(state, "exec"),
    environment: { ...process.env, NO_PROXY: "*", HTTP_PROXY: "http://elsewhere:1" },
    env: ["NO_PROXY", "HTTP_PROXY"],
    sandbox,
    redact: (text) => text.replaceAll("hunter2", "[secret]"),
    egress: {
      open: ({ context: { callId }, command, ask }) =>
        openEgressDoor({
          directory,
          clock: systemClock(),
          hosts: () => hosts,
          ask,
          record: (attempt) => attempts.push({ call: callId, command, ...attempt }),
          closed: (bytes) => traffic.push(bytes),
          resolve: async (name) => {
            names.push(name);
            return name.startsWith("loop.") ? ["127.0.0.1"] : ["93.184.216.34"];
          },
          connect: (address, wanted) => {
            dials.push(`${address}:${wanted}`);
            return net.connect(port, "127.0.0.1");
          },
        }),
    },
  });
  const result: Confined["result"] = (command, input, context) =>
    machine.run(tool, { network: true, ...input, command }, context);
  return {
    attempts,
    traffic,
    dials,
    names,
    port,
    workspace,
    doors: () => (fs.existsSync(directory) ? fs.readdirSync(directory) : []),
    result,
    run: async (command, input, context) => textOf(await result(command, input, context)),
  };
}
