// Real git in the real sandbox, a real git server behind https, and the operator's real git outside that keeps a password.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AUTHORIZATION, filled, gitPlace, PASSWORD } from "./git-place.ts";

test("SC27 a commit works at the first try as the operator, and a repository's own identity wins", async () => {
  const { run } = await gitPlace();
  expect(
    await run(
      "git init -q r && cd r && echo a > a && git add a && git commit -qm one && git log --format='%an <%ae> %D'",
    ),
  ).toContain('Ada "L" \\o/ <ada@example.org> HEAD -> main');
  const own =
    "git config -f /tmp/c user.name Own; cd r && git -c user.name=Own -c user.email=own@x commit -q --allow-empty -m two && git log -1 --format='%an <%ae>'";
  expect(await run(own)).toContain("Own <own@x>");
  expect(await run("git config --global --list")).toContain("core.trustctime=false");
});

test("SC28 clone, commit, fetch and push with a password that is nowhere in the sandbox", async () => {
  const made = await gitPlace();
  const { run, server, state, workspace, secrets, wishes } = made;
  const bare = filled(made, "private/proj.git");
  expect(await run("git clone -q https://git.test/private/proj.git && cat proj/README.md")).toContain(
    "hello from outside",
  );
  expect(await run("cd proj && echo more >> README.md && git commit -qam second && git push 2>&1")).toContain(
    "main -> main",
  );
  expect(execFileSync("git", ["-C", bare, "log", "--format=%an %s", "main"], { encoding: "utf8" })).toContain(
    'Ada "L" \\o/ second',
  );
  expect(await run("cd proj && git fetch -q && git status -sb")).toContain("## main...origin/main");
  expect(secrets).toEqual(expect.arrayContaining([PASSWORD]));
  expect(wishes).toContainEqual({
    host: "git.test",
    port: 443,
    repository: "git.test/private/proj",
    verb: "push",
    credentials: true,
  });
  // Inside, and in all that was written down outside but for the operator's own helper.
  const [, encoded = ""] = AUTHORIZATION.split(" ");
  const hidden = (text: string): string => `${text.slice(0, 6)}[${text.slice(6, 7)}]${text.slice(7)}`; // not to find itself
  const search = `grep -raE '${hidden(PASSWORD)}|${hidden(encoded)}' /run /etc /tmp /dev/shm /var . 2> /dev/null; env; cat /proc/*/environ`;
  const seen = await run(search);
  expect([seen.includes(PASSWORD), seen.includes(encoded)]).toEqual([false, false]);
  const written = fs
    .readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("/outside"))
    .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), "latin1"));
  for (const text of written) expect(text).not.toContain(PASSWORD);
  expect(JSON.stringify(made.attempts)).not.toContain(PASSWORD);
  expect(fs.readFileSync(join(workspace, "proj/.git/config"), "utf8")).toContain(
    "url = https://git.test/private/proj.git",
  );
  expect(server.asked.filter(({ headers }) => headers["git-protocol"] === "version=2").length).toBeGreaterThan(0);
});

test("SC28 a public repository is fetched without the password, and how an address was written makes no difference", async () => {
  const made = await gitPlace();
  const { run, server, wishes, dials } = made;
  filled(made, "me/open.git");
  for (const address of [
    "https://git.test/me/open",
    "https://me:old-token@git.test/me/open.git",
    "git@git.test:me/open.git",
    "ssh://git@git.test:2222/me/open.git",
    "https://git.test:8443/me/open.git",
  ])
    expect([address, await run(`git ls-remote ${address}`)]).toEqual([
      address,
      expect.stringContaining("refs/heads/main"),
    ]);
  expect(server.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  // Each command is asked about once.
  expect(wishes.map(({ repository, verb, credentials }) => `${verb} ${repository} ${credentials}`)).toEqual([
    ...Array<string>(4).fill("fetch git.test/me/open false"),
    "fetch git.test:8443/me/open false",
  ]);
  expect(new Set(dials)).toEqual(new Set(["93.184.216.34:443", "93.184.216.34:8443"]));
});

test("SC28 what is large is streamed: chunked, in parts, unpacked by nobody on the way", async () => {
  const made = await gitPlace();
  const { run, server } = made;
  const bare = filled(made, "private/large.git");
  const commands = [
    "git clone -q https://git.test/private/large.git",
    "cd large",
    "head -c 12000000 /dev/urandom > blob",
    "seq 1 4000 > text",
    "git add . && git commit -qm large && git push -q",
    "cd .. && git clone -q https://git.test/private/large.git again && cmp large/blob again/blob && echo same",
  ];
  expect(await run(commands.join(" && "))).toMatch(/^same$/m);
  expect(execFileSync("git", ["-C", bare, "log", "-1", "--format=%s", "main"], { encoding: "utf8" })).toBe("large\n");
  const posts = server.asked.filter(({ method }) => method === "POST");
  expect(posts.some(({ headers }) => headers["transfer-encoding"] === "chunked")).toBe(true);
  // What only one side has is listed, and a long list is sent compressed.
  const other = "cd large && git commit -q --allow-empty -m other && git push -q";
  const many =
    "cd ../again && for n in $(seq 1 60); do git commit -q --allow-empty -m $n; done && git fetch -q && echo met";
  expect(await run(`${other} && ${many}`)).toMatch(/^met$/m);
  expect(server.asked.some(({ headers }) => headers["content-encoding"] === "gzip")).toBe(true);
});

test("SC28 a push that a person refused says so, and nothing was dialed", async () => {
  const made = await gitPlace({
    decide: ({ verb }) => (verb === "push" ? { ok: false, reason: "a person said no" } : { ok: true }),
  });
  filled(made, "me/open.git");
  const { run, attempts, dials } = made;
  await run("git clone -q https://git.test/me/open.git");
  const before = dials.length;
  expect(await run("cd open && git commit -q --allow-empty -m x && git push 2>&1")).toContain(
    "remote: margay: a person said no",
  );
  expect(dials.length).toBe(before);
  expect(attempts.at(-1)).toEqual({
    host: "git.test",
    port: 443,
    allowed: false,
    reason: "a person said no",
    repository: "git.test/me/open",
    verb: "push",
  });
  // A yes to fetch is none to push, whatever is asked first.
  const url = "http://git.margay/git.test/me/open.git/git-receive-pack";
  expect(await made.ask(url, { method: "POST", body: "0000" })).toContain("margay: ask for info/refs first");
});

test("SC28 no password, or a wrong one: what to do is said, and git asks nobody", async () => {
  const wrong = await gitPlace({ kept: "changed since" });
  filled(wrong, "private/proj.git");
  expect(await wrong.run("git clone https://git.test/private/proj.git 2>&1")).toContain(
    "remote: margay: git.test refuses the password that git on this machine keeps. Next: the operator renews it outside",
  );
  const none = await gitPlace({ kept: "" });
  filled(none, "private/proj.git");
  expect(await none.run("git clone https://git.test/private/proj.git 2>&1")).toContain(
    "remote: margay: git.test/private/proj wants a password, and git on this machine has none for git.test. Next: the operator runs `git ls-remote",
  );
});

test("SC29 a fetch with the password is asked for as such", async () => {
  const made = await gitPlace({
    decide: ({ credentials }) => (credentials ? { ok: false, reason: "not mine" } : { ok: true }),
  });
  filled(made, "private/proj.git");
  expect(await made.run("git clone https://git.test/private/proj.git 2>&1")).toContain("remote: margay: not mine");
  expect(made.server.asked.map(({ authorization }) => authorization)).toEqual([undefined]);
});

test("SC28 a repository that was moved is asked for anew; another host gets no password, and a page is no way", async () => {
  const made = await gitPlace();
  const { run, server, wishes } = made;
  filled(made, "private/new.git");
  let to = "https://git.test/private/new.git/info/refs?service=git-upload-pack";
  server.instead = ({ url = "", headers }, response) => {
    const moves = headers.host === "git.test" && url.startsWith("/private/old");
    const wants = moves && headers.authorization !== AUTHORIZATION;
    if (wants) response.writeHead(401).end();
    else if (moves) response.writeHead(301, { location: to }).end();
    return moves;
  };
  expect(await run("git clone -q https://git.test/private/old.git && cat old/README.md")).toContain(
    "hello from outside",
  );
  to = "https://other.test/private/new.git/info/refs?service=git-upload-pack";
  server.asked.length = 0;
  expect(await run("git ls-remote https://git.test/private/old.git 2>&1")).toContain("has none for other.test");
  expect(wishes).toContainEqual(expect.objectContaining({ host: "other.test", verb: "fetch", credentials: false }));
  expect(
    server.asked.filter(({ url }) => url.startsWith("other.test")).map(({ authorization }) => authorization),
  ).toEqual([undefined]);
  for (to of [
    "https://git.test/login",
    "http://git.test/private/new.git/info/refs?service=git-upload-pack",
    "file:///etc",
  ])
    expect(await run("git ls-remote https://git.test/private/old.git 2>&1")).toContain(
      "remote: margay: git.test leads to what is no repository",
    );
});

test("SC30 a repository that only ssh reaches says so in one line", async () => {
  const made = await gitPlace();
  expect(await made.run("git clone ssh://someone@git.test/me/x.git 2>&1")).toContain(
    "margay: git over ssh does not leave the sandbox. Next: use the https address of the repository.",
  );
  // Its host has no https.
  made.server.instead = (request) => request.socket.destroy() === request.socket;
  expect(await made.run("git clone git@git.test:me/x.git 2>&1")).toContain(
    "Only git over https leaves the sandbox, not ssh",
  );
});

test("SC29 what comes from the operator's own repositories is theirs, and a stranger's from all others", async () => {
  const made = await gitPlace({
    decide: ({ repository }) => ({ ok: true, trusted: repository === "git.test/me/open" }),
  });
  filled(made, "me/open.git");
  filled(made, "you/open.git");
  expect(await made.causes("git clone -q https://git.test/me/open mine")).toEqual([undefined, []]);
  expect(await made.causes("git clone -q https://git.test/you/open yours")).toEqual([
    "untrusted",
    ["network git.test"],
  ]);
  expect(await made.causes("git -C mine fetch -q; git -C yours fetch -q")).toEqual(["untrusted", ["network git.test"]]);
});
