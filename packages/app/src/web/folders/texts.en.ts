/** Texts of the field in which a folder of the machine is chosen. */
export const en = {
  browse: "Browse…",
  title: "Choose a folder",
  up: "One folder up",
  inside: "Folders in {path}",
  none: "No folders in it",
  more: "There are more; type the path for those.",
  take: "Use this folder",
} as const;
