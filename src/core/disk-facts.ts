/** What a database server says of its disk. */
export type DiskFacts = {
  /** Our database. */
  databaseBytes: number;
  /** All tablespaces that the role may measure, with every database in them. */
  tablespaceBytes: number;
  /** The folder of the WAL; null when the role may not see it. */
  walBytes: number | null;
  /** Names of replication slots that hold back more WAL than `max_wal_size`, or have lost some. */
  slotsBeyondLimit: string[];
  /** WAL that the slot furthest behind holds back; null: there is no slot. */
  slotHeldBytes: number | null;
  /** WAL that can still be written before a slot loses some; null: no slot, or no limit. */
  slotSafeBytes: number | null;
};

/** The part of a disk that holds the database, as far as it was seen. */
export const usedBytesOf = ({ tablespaceBytes, walBytes }: DiskFacts): number => tablespaceBytes + (walBytes ?? 0);
