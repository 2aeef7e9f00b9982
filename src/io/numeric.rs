//! The number types of VTK and PLY files, and their bytes as `f64` or `i64`.

/// A number type of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Applies a macro to the Rust type of a [`Scalar`].
macro_rules! with_type {
    ($scalar:expr, $then:ident) => {
        match $scalar {
            Scalar::I8 => $then!(i8),
            Scalar::U8 => $then!(u8),
            Scalar::I16 => $then!(i16),
            Scalar::U16 => $then!(u16),
            Scalar::I32 => $then!(i32),
            Scalar::U32 => $then!(u32),
            Scalar::I64 => $then!(i64),
            Scalar::U64 => $then!(u64),
            Scalar::F32 => $then!(f32),
            Scalar::F64 => $then!(f64),
        }
    };
}

impl Scalar {
    /// The type by its name in XML files.
    pub(crate) fn from_xml(name: &str) -> Option<Scalar> {
        Some(match name {
            "Int8" => Scalar::I8,
            "UInt8" => Scalar::U8,
            "Int16" => Scalar::I16,
            "UInt16" => Scalar::U16,
            "Int32" => Scalar::I32,
            "UInt32" => Scalar::U32,
            "Int64" => Scalar::I64,
            "UInt64" => Scalar::U64,
            "Float32" => Scalar::F32,
            "Float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// The type by its name in legacy files; `long` is the 64-bit one of the machines that write them.
    pub(crate) fn from_legacy(name: &str) -> Option<Scalar> {
        Some(match name.to_ascii_lowercase().as_str() {
            "char" | "signed_char" | "vtktypeint8" => Scalar::I8,
            "unsigned_char" | "vtktypeuint8" => Scalar::U8,
            "short" | "vtktypeint16" => Scalar::I16,
            "unsigned_short" | "vtktypeuint16" => Scalar::U16,
            "int" | "vtkidtype" | "vtktypeint32" => Scalar::I32,
            "unsigned_int" | "vtktypeuint32" => Scalar::U32,
            "long" | "long_long" | "vtktypeint64" => Scalar::I64,
            "unsigned_long" | "unsigned_long_long" | "vtktypeuint64" => Scalar::U64,
            "float" => Scalar::F32,
            "double" => Scalar::F64,
            _ => return None,
        })
    }

    /// The type by its name in PLY files.
    pub(crate) fn from_ply(name: &str) -> Option<Scalar> {
        Some(match name {
            "char" | "int8" => Scalar::I8,
            "uchar" | "uint8" => Scalar::U8,
            "short" | "int16" => Scalar::I16,
            "ushort" | "uint16" => Scalar::U16,
            "int" | "int32" => Scalar::I32,
            "uint" | "uint32" => Scalar::U32,
            "int64" => Scalar::I64,
            "uint64" => Scalar::U64,
            "float" | "float32" => Scalar::F32,
            "double" | "float64" => Scalar::F64,
            _ => return None,
        })
    }

    /// The size of a number in bytes.
    pub(crate) fn size(self) -> usize {
        macro_rules! size {
            ($t:ty) => {
                size_of::<$t>()
            };
        }
        with_type!(self, size)
    }

    /// The numbers in `bytes`; an incomplete last number is left out.
    pub(crate) fn floats(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        macro_rules! decode {
            ($t:ty) => {{
                let (items, _) = bytes.as_chunks::<{ size_of::<$t>() }>();
                if big_endian {
                    items.iter().map(|&b| <$t>::from_be_bytes(b) as f64).collect()
                } else {
                    items.iter().map(|&b| <$t>::from_le_bytes(b) as f64).collect()
                }
            }};
        }
        with_type!(self, decode)
    }

    /// The numbers in `bytes` as whole numbers, saturating; an incomplete last number is left out.
    pub(crate) fn integers(self, bytes: &[u8], big_endian: bool) -> Vec<i64> {
        macro_rules! decode {
            ($t:ty) => {{
                let (items, _) = bytes.as_chunks::<{ size_of::<$t>() }>();
                if big_endian {
                    items.iter().map(|&b| <$t>::from_be_bytes(b) as i64).collect()
                } else {
                    items.iter().map(|&b| <$t>::from_le_bytes(b) as i64).collect()
                }
            }};
        }
        let mut values: Vec<i64> = with_type!(self, decode);
        if self == Scalar::U64 {
            // Numbers that do not fit have wrapped to negative ones.
            values.iter_mut().filter(|v| **v < 0).for_each(|v| *v = i64::MAX);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_and_all_types() {
        assert_eq!(Scalar::I16.floats(&[0xff, 0xfe, 0x01], true), [-2.0]);
        assert_eq!(Scalar::I16.floats(&[0xfe, 0xff, 0x01], false), [-2.0]);
        assert_eq!(Scalar::U8.integers(&[255, 1], false), [255, 1]);
        assert_eq!(Scalar::I8.integers(&[255, 1], false), [-1, 1]);
        assert_eq!(Scalar::U64.integers(&[0xff; 8], false), [i64::MAX]);
        assert_eq!(Scalar::F32.floats(&1.5f32.to_be_bytes(), true), [1.5]);
        for name in ["Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64"] {
            let scalar = Scalar::from_xml(name).unwrap();
            let mut bytes = vec![0; scalar.size()];
            bytes[0] = 7;
            assert_eq!((scalar.floats(&bytes, false), scalar.integers(&bytes, false)), (vec![7.0], vec![7]));
        }
    }
}
