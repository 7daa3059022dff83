// A server of repositories as the web has them: https, `git http-backend`, and a password for whoever pushes.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { join } from "node:path";

export interface GitServer {
  readonly server: Server;
  /** The certificate, which is its own authority. */
  readonly certificate: string;
  /** Subjects of a repository's commits, newest first. */
  log(repository: string): readonly string[];
}

/**
 * @param folder For its repositories and its key.
 * @param login `name:password` of whoever may push.
 */
export function gitServer(folder: string, name: string, login: string): GitServer {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=DNS:${name}`];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", [...made, ...subject, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const root = join(folder, "repositories");
  mkdirSync(join(root, "team"), { recursive: true });
  seed(root);
  const expected = `Basic ${Buffer.from(login).toString("base64")}`;
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    const isPush = (request.url ?? "").includes("git-receive-pack");
    if (isPush && request.headers.authorization !== expected)
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end("who are you?");
    else backend(root, request, response, isPush ? (login.split(":")[0] ?? "") : "");
  });
  return { server, certificate, log: (path) => git(join(root, path), "log", "--format=%s", "main").trim().split("\n") };
}

function seed(root: string): void {
  const bare = join(root, "team", "tool.git");
  git(root, "init", "-q", "--bare", "-b", "main", bare);
  git(bare, "config", "http.receivepack", "true");
  const blob = git(bare, "hash-object", "-w", "--stdin", { input: "# A tool\n" }).trim();
  const tree = git(bare, "mktree", { input: `100644 blob ${blob}\tREADME.md\n` }).trim();
  const commit = git(bare, "commit-tree", tree, "-m", "The tool").trim();
  git(bare, "update-ref", "refs/heads/main", commit);
}

function git(cwd: string, ...args: readonly (string | { readonly input: string })[]): string {
  const words = args.filter((one) => typeof one === "string");
  const { input = "" } = args.find((one) => typeof one !== "string") ?? {};
  const who = { GIT_AUTHOR_NAME: "team", GIT_AUTHOR_EMAIL: "team@example.com" };
  const committer = { GIT_COMMITTER_NAME: "team", GIT_COMMITTER_EMAIL: "team@example.com" };
  return execFileSync("git", ["-c", "safe.directory=*", ...words], {
    cwd,
    input,
    encoding: "utf8",
    env: { ...process.env, ...who, ...committer },
  });
}

/** As CGI has it. */
function backend(root: string, request: IncomingMessage, response: ServerResponse, user: string): void {
  const { pathname, search } = new URL(request.url ?? "/", "https://git.test");
  const child = spawn("git", ["-c", "safe.directory=*", "http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      ...(user !== "" && { REMOTE_USER: user }),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.on("error", () => {}); // it answered without reading all
  request.pipe(child.stdin);
  let head = Buffer.alloc(0);
  let isBody = false;
  child.stdout.on("data", (chunk: Buffer) => {
    if (isBody) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    isBody = true;
    const lines = head.toString("latin1", 0, end).split("\r\n");
    const headers = lines.map((line) => line.split(/:\s*/, 2) as [string, string]);
    const status = Number.parseInt(headers.find(([name]) => name === "Status")?.[1] ?? "200", 10);
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== "Status")));
    response.write(head.subarray(end + 4));
  });
  child.once("close", () => response.end());
}
