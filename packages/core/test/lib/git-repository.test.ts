import { expect, test } from "vitest";
import {
  isListedRepository,
  isRepositoryEntry,
  repositoryName,
  repositoryOf,
} from "../../src/lib/paths/git-repository.ts";

test("SC29 a list names repositories, or all below a name, and never a host or everything", () => {
  const good = [
    "github.com/me/*",
    "github.com/me/proj",
    "GitHub.com/Me/x.y",
    "git.sr.ht/~me/*",
    "git.my.org:8443/team/sub/*",
  ];
  const bad = [
    "*",
    "github.com",
    "github.com/",
    "github.com/*",
    "*.com/me/*",
    "github.com/me/*/x",
    "github.com/me/../you",
  ];
  const worse = [
    "https://github.com/me/x",
    "github.com//x",
    "/me/x",
    "github.com/me/x.git",
    "git hub.com/me/*",
    "a/b%2fc",
    "",
  ];
  expect(good.filter((entry) => !isRepositoryEntry(entry))).toEqual([]);
  expect([...bad, ...worse].filter(isRepositoryEntry)).toEqual([]);
});

test("SC29 what is listed is meant by its whole name", () => {
  const listed = (name: string, ...entries: readonly string[]): boolean => isListedRepository(name, entries);
  expect(listed("github.com/me/proj", "GitHub.com/me/*")).toBe(true);
  expect(listed("github.com/me/a/b", "github.com/me/*")).toBe(true);
  expect(listed("github.com/me", "github.com/me/*")).toBe(false);
  expect(listed("github.com/mean/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com/Me/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com:8443/me/proj", "github.com/me/*")).toBe(false);
  expect(listed("evil.com/github.com/me/proj", "github.com/me/*")).toBe(false);
  expect(listed("github.com/me/proj", "github.com/*", "*")).toBe(false);
  expect(repositoryName("GitHub.com", "me/proj.git")).toBe("github.com/me/proj");
});

test("git-repository/MAX_SEGMENTS: a path of ten names is one of a repository, a longer one is not", () => {
  const path = (names: number): string => Array.from({ length: names }, () => "a").join("/");
  expect(repositoryName("git.test", path(10))).toBe(`git.test/${path(10)}`);
  expect(repositoryName("git.test", path(11))).toBe(undefined);
});

test("SC17 addresses are told as people know them, and paths of this machine are none", () => {
  expect(
    [
      "https://github.com/x/y.git",
      "https://me:word@github.com/x/y/",
      "git@github.com:x/y.git",
      "ssh://git@github.com:22/x/y",
      "git://github.com/x/y",
      "https://github.com:443/x/y",
    ].map(repositoryOf),
  ).toEqual(Array.from({ length: 6 }, () => "github.com/x/y"));
  expect(repositoryOf("https://git.test:8443/x/y")).toBe("git.test:8443/x/y");
  expect(["/srv/x", "../x", "file:///srv/x", "C:/x", ""].map(repositoryOf)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});
