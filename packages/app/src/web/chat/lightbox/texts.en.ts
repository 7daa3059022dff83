/** Texts of the picture that is looked at alone. */
export const en = {
  out: "Smaller",
  in: "Larger",
  fit: "Fit, {share} %",
  before: "Picture before",
  next: "Next picture",
  of: "{n} of {all}",
  save: "Download",
} as const;
