// The interface of a bucket or folder that files are copied from or to.

export interface ListedFile {
  /** Path in the bucket, such as `<tenant id>/<document id>/nfse.pdf`. */
  name: string;
  /** Bytes. */
  size: number;
  /** Changes with the content; empty if unknown. */
  version: string;
}

export interface FileContent {
  bytes: Uint8Array;
  contentType: string;
}

/** A bucket or folder. Methods throw if it is unreachable. */
export interface FileStorage {
  /** All files whose names begin with the prefix, sorted by name. */
  list(prefix: string): AsyncIterable<ListedFile>;
  /** Undefined if the file does not exist. */
  read(name: string, signal: AbortSignal): Promise<FileContent | undefined>;
  /** Creates or replaces a file. `version` is that of the source. */
  write(name: string, content: FileContent, version: string, signal: AbortSignal): Promise<void>;
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Whether the file was copied here from this version and is intact. Absent if this is unknown without the source. */
  hasVersion?(file: ListedFile): Promise<boolean>;
  close(): Promise<void>;
}
