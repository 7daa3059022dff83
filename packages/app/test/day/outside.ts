// The web of a developer's day, on the loopback device: a page, data, packages of two kinds, repositories.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { gitServer, type GitServer } from "./git-server.ts";

export const PAGE = "Otters hold hands while they sleep, so that the current does not part them.";
export const PASSWORD = "pa55-of-the-person";

export interface Outside extends AsyncDisposable {
  readonly git: GitServer;
  /** What the built program needs to meet these servers and nobody else. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param folder For what they serve. */
export async function startOutside(folder: string): Promise<Outside> {
  mkdirSync(folder, { recursive: true });
  const git = gitServer(folder, "git.example.com", `me:${PASSWORD}`);
  const wheel = makeWheel(folder);
  const web: Readonly<Record<string, RequestListener>> = {
    "blog.example.com": sends("text/plain", PAGE),
    "api.example.com": sends("application/json", '{"rate":42}'),
    "registry.npmjs.org": registry(makePackage(folder)),
    "pypi.org": simpleIndex(wheel),
    "files.pythonhosted.org": sends("application/octet-stream", wheel.bytes),
  };
  const servers: Server[] = [];
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port; // TCP
  };
  const table: Record<string, Record<string, number>> = {};
  for (const [name, listener] of Object.entries(web)) table[name] = { 80: await listen(createServer(listener)) };
  table["git.example.com"] = { 443: await listen(git.server) };
  const file = join(folder, "outside.json");
  writeFileSync(file, JSON.stringify(table));
  const hook = new URL("outside-hook.mjs", import.meta.url).href;
  return {
    git,
    env: { MARGAY_OUTSIDE: file, NODE_OPTIONS: `--import=${hook}`, NODE_EXTRA_CA_CERTS: git.certificate },
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      }
    },
  };
}

function sends(type: string, body: string | Uint8Array): RequestListener {
  return (_request, response) => void response.writeHead(200, { "content-type": type }).end(body);
}

function makePackage(folder: string): Buffer {
  const root = join(folder, "npm", "package");
  write(join(root, "package.json"), JSON.stringify({ name: "left-pad", version: "1.3.0", main: "index.js" }));
  write(join(root, "index.js"), 'module.exports = (text, width) => String(text).padStart(width, " ");\n');
  const archive = join(folder, "left-pad.tgz");
  execFileSync("tar", ["czf", archive, "-C", dirname(root), "package"]);
  return readFileSync(archive);
}

function registry(tarball: Buffer): RequestListener {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: "http://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz", integrity };
  const version = { name: "left-pad", version: "1.3.0", main: "index.js", dist };
  const about = { name: "left-pad", "dist-tags": { latest: "1.3.0" }, versions: { "1.3.0": version } };
  return ({ url = "" }, response) => {
    if (url.endsWith(".tgz")) response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
    else if (url === "/left-pad")
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(about));
    else response.writeHead(404, { "content-type": "application/json" }).end("{}");
  };
}

interface Wheel {
  readonly name: string;
  readonly bytes: Buffer;
}

function makeWheel(folder: string): Wheel {
  const name = "slugger-1.0-py3-none-any.whl";
  const [root, info] = [join(folder, "wheel"), "slugger-1.0.dist-info"];
  write(join(root, "slugger.py"), 'def slug(text):\n    return "-".join(text.lower().split())\n');
  write(join(root, info, "METADATA"), "Metadata-Version: 2.1\nName: slugger\nVersion: 1.0\n");
  write(join(root, info, "WHEEL"), "Wheel-Version: 1.0\nGenerator: day\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
  const files = ["slugger.py", ...["METADATA", "WHEEL", "RECORD"].map((one) => `${info}/${one}`)];
  write(join(root, info, "RECORD"), files.map((file) => `${file},,\n`).join(""));
  execFileSync("python3", ["-m", "zipfile", "-c", join(folder, name), "slugger.py", info], { cwd: root });
  return { name, bytes: readFileSync(join(folder, name)) };
}

function simpleIndex({ name, bytes }: Wheel): RequestListener {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const link = `<!DOCTYPE html><a href="http://files.pythonhosted.org/${name}#sha256=${hash}">${name}</a>`;
  return ({ url = "" }, response) => {
    if (url.startsWith("/simple/slugger")) response.writeHead(200, { "content-type": "text/html" }).end(link);
    else response.writeHead(404).end();
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
