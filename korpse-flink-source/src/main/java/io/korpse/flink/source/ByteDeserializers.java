package io.korpse.flink.source;

import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Checks deserializers that the user sets for the consumer itself, as to decrypt: they must give
 * bytes, which the schema then reads.
 */
final class ByteDeserializers {

  private ByteDeserializers() {}

  static void check(String key, String className) {
    Class<?> type;
    try {
      type = Class.forName(className, false, Thread.currentThread().getContextClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          key + " is " + className + ", a class that is not on the class path", e);
    }
    if (!Deserializer.class.isAssignableFrom(type) || !givesBytes(type)) {
      throw new IllegalArgumentException(
          key
              + " is "
              + className
              + ", which is no Deserializer<byte[]>; leave it out, and give the deserializer of"
              + " your type to setDeserializer or setValueOnlyDeserializer");
    }
  }

  private static boolean givesBytes(Class<?> type) {
    TypeInformation<?> produced =
        TypeExtractor.createTypeInfo(Deserializer.class, type, 0, null, null);
    return produced.equals(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
  }
}
