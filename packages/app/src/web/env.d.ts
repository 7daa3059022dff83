interface ImportMetaEnv {
  /** Path of the diagram frame. */
  readonly MARGAY_DIAGRAM: string;
}
