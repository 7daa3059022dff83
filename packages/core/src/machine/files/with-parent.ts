/** One entry of a tree, reached without following any link: its directory is held open while something is done to it. */
import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { type OpenDirectory, openChild, openDirectory } from "./open-directory.ts";

export interface Parent {
  readonly directory: OpenDirectory;
  readonly name: string;
}

/**
 * Close the directory after use.
 * @param path relative to the root, links resolved. @param create makes missing directories on the way.
 * @throws the file system's error; ENOTDIR or ELOOP when a link is in the way.
 */
export function openParent(root: string, path: string, create = false): Parent {
  const names = path.split("/");
  const name = names.pop() ?? "";
  if ([name, ...names].some((one) => one === "" || one === "." || one === ".."))
    throw Object.assign(new Error("not a path of the workspace"), { code: "EINVAL" });
  let directory = openDirectory(realpathSync.native(root));
  try {
    for (const one of names) {
      if (create && lstatSync(directory.at(one), { throwIfNoEntry: false }) === undefined) mkdirSync(directory.at(one));
      const child = openChild(directory, one);
      directory.close();
      directory = child;
    }
    return { directory, name };
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** As `openParent`, for as long as the work takes. */
export async function withParent<T>(
  root: string,
  path: string,
  work: (parent: Parent) => T | Promise<T>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const parent = openParent(root, path, create);
  try {
    return await work(parent);
  } finally {
    parent.directory.close();
  }
}
