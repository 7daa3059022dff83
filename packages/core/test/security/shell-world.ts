// Everything an attack of the corpus can hurt or steal, once for each case: folders, secrets, listeners, a process.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import fs from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

export interface ShellWorld {
  readonly root: string;
  readonly workspace: string;
  readonly state: string;
  readonly home: string;
  /** By name, as in the corpus. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly host: ChildProcess;
  /** The placeholders of the corpus filled in. */
  fill(text: string): string;
  /** Kinds of listeners that were reached. */
  readonly reached: ReadonlySet<string>;
  close(): void;
}

let marks = 0;

/** @param owner Whose it all is, when this process is root. */
export async function createShellWorld(owner: number | undefined): Promise<ShellWorld> {
  const root = fs.mkdtempSync(join(tmpdir(), "margay-shell-"));
  fs.chmodSync(root, 0o755);
  const [workspace, out, home, state] = ["workspace", "out", "home", "state"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  const secret = (name: string): string => `SECRET-${name}-${Math.random().toString(36).slice(2)}-${process.pid}`;
  const secrets = Object.fromEntries(
    ["FILE", "SSH", "CFG", "SESSION", "ENV", "ARGV", "INBOX"].map((name) => [name, secret(name)]),
  );
  const files: Readonly<Record<string, string>> = {
    [join(workspace, "a.txt")]: "hello\n",
    [join(workspace, "SOUL.md")]: "# Soul\n",
    [join(workspace, "AGENTS.md")]: "# Agents\n",
    [join(workspace, "memory/MEMORY.md")]: "# Memory\n",
    [join(workspace, "skills/notes/SKILL.md")]: "---\nname: notes\n---\n",
    [join(workspace, "inbox/letter.txt")]: `${secrets["INBOX"]}\n`,
    [join(workspace, "notes.md")]: "# Heartbeat\n",
    [join(workspace, "repo/.git/modules/sub/HEAD")]: "ref: refs/heads/main\n",
    [join(workspace, "repo/.git/modules/sub/config")]: "[core]\n",
    [join(workspace, "repo/.git/modules/sub/objects/info/packs")]: "\n",
    [join(workspace, "repo/.git/modules/sub/hooks/update.sample")]: "\n",
    [join(out, "keep/file.txt")]: "precious\n",
    [join(out, "secret.txt")]: `${secrets["FILE"]}\n`,
    [join(home, ".ssh/id_rsa")]: `${secrets["SSH"]}\n`,
    [join(home, ".bashrc")]: "# bashrc\n",
    [join(home, ".profile")]: "# profile\n",
    [join(state, "config.json")]: JSON.stringify({ key: secrets["CFG"] }),
    [join(state, "sessions/other.jsonl")]: `${JSON.stringify({ text: secrets["SESSION"] })}\n`,
    [join(state, "cron/jobs.json")]: "[]\n",
  };
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(join(path, ".."), { recursive: true });
    fs.writeFileSync(path, text);
  }
  fs.symlinkSync("notes.md", join(workspace, "HEARTBEAT.md"));
  execFileSync("git", ["init", "-q", join(workspace, "repo")], { env: { PATH: "/usr/bin:/bin", HOME: home } });
  if (owner !== undefined) execFileSync("chown", ["-R", `${owner}:${owner}`, root]);

  const reached = new Set<string>();
  const servers: Server[] = [];
  const listen = async (kind: string, options: object): Promise<Server> => {
    const server = createServer((socket) => {
      reached.add(kind);
      socket.on("error", () => undefined).end();
    });
    servers.push(server);
    server.listen(options);
    await once(server, "listening");
    return server;
  };
  const { port } = (await listen("net", { host: "127.0.0.1", port: 0 })).address() as AddressInfo;
  await listen("net", { host: "::1", port });
  const abstract = `margay-${process.pid}-${root.slice(-6)}`;
  const usock = join(out, "socket");
  await listen("unix", { path: usock });
  fs.chmodSync(usock, 0o777);
  const inside = join(workspace, "app.sock");
  await listen("unix", { path: inside });
  fs.chmodSync(inside, 0o777);
  await listen("unix", { path: `\0${abstract}` });
  const udp = createSocket("udp4", () => void reached.add("udp")).bind(0, "127.0.0.1");
  await once(udp, "listening");
  const free = createServer().listen(0);
  await once(free, "listening");
  const listenPort = (free.address() as AddressInfo).port;
  free.close();

  const mark = String(7_000_000 + (process.pid % 100) * 10_000 + (marks += 2));
  const hostMark = `margay-host-${mark}`;
  const host = spawn("sh", ["-c", `while :; do sleep 1000; done`, hostMark, secrets["ARGV"] ?? ""], {
    stdio: "ignore",
    ...(owner !== undefined && { uid: owner, gid: owner }),
  });
  await once(host, "spawn");
  const values: Readonly<Record<string, string>> = {
    WS: workspace,
    OUT: out,
    REL_OUT: relative(workspace, out),
    OUT_NOSLASH: out.slice(1),
    REL_FROM_ROOT: join(out, "secret.txt").slice(1),
    HOME: home,
    STATE: state,
    PORT: String(port),
    UDP: String(udp.address().port),
    USOCK: usock,
    ABSTRACT: abstract,
    LPORT: String(listenPort),
    MARK: mark,
    HOSTPID: String(host.pid),
    HOSTMARK: hostMark,
    HOST: `127.0.0.1:${port}`,
  };
  return {
    root,
    workspace,
    state,
    home,
    secrets,
    host,
    reached,
    fill: (text) => text.replaceAll(/@([A-Z_]+)@/g, (whole, name: string) => values[name] ?? whole),
    close: () => {
      host.kill("SIGKILL");
      for (const server of servers) server.close();
      udp.close();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}
