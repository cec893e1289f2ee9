import parquet from './index.cjs'

export const { getLoadablePath, load } = parquet
