// Reading without a trace, tried from inside; and the programs that copy files, which must go on to work.
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPlace, runIn } from "./support.ts";

const ATTEMPTS = `
import fcntl, os
def attempt(name, work):
    try: work(); print(name, "done")
    except OSError as error: print(name, error.strerror)
own = lambda: os.open("own", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
attempt("open", lambda: os.open("page", os.O_RDONLY | os.O_NOATIME))
fd = os.open("page", os.O_RDONLY)
attempt("fcntl", lambda: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NOATIME))
attempt("append", lambda: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK))
attempt("copy", lambda: os.copy_file_range(fd, own(), 10))
attempt("clone", lambda: fcntl.ioctl(own(), 0x40049409, fd))
`;

test("SC9 nothing inside reads a file without moving its access time, and copies are made as ever", async () => {
  using place = createPlace();
  const page = join(place.workspace, "page");
  fs.writeFileSync(page, "what a stranger wrote");
  fs.writeFileSync(join(place.workspace, "attempts.py"), ATTEMPTS);
  const sandbox = place.sandbox();
  const { output } = await runIn(sandbox, place.request("python3 attempts.py"));
  expect(output.trim().split("\n")).toEqual([
    "open Operation not permitted",
    "fcntl Operation not permitted",
    "append done",
    "copy Function not implemented",
    "clone Operation not supported",
  ]);
  const copies = [
    "cp page a",
    "cp --reflink=auto page b",
    "cp -a page c",
    "mv c d",
    "python3 -c \"import shutil; shutil.copy('page', 'e')\"",
    `${process.execPath} -e 'require("fs").copyFileSync("page", "f")'`,
    "git init -q . && git add page && git -c user.name=a -c user.email=b commit -qm x && git gc -q && git show HEAD:page > g",
    "grep -c stranger page",
    "find . -name page",
    "du -s page",
  ];
  for (const command of copies) {
    const ended = await runIn(sandbox, place.request(command, { readable: [process.execPath] }));
    expect([command, ended.code]).toEqual([command, 0]);
  }
  for (const name of ["a", "b", "d", "e", "f", "g"])
    expect(fs.readFileSync(join(place.workspace, name), "utf8")).toBe("what a stranger wrote");
  const tar = await runIn(sandbox, place.request("tar --atime-preserve=system -cf t.tar page"));
  expect(tar.output).toContain("Operation not permitted");
});
