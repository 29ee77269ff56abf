;; Sums of a text's terms: their rows by factors, and the weights at the dimensions of their n-grams.
;;
;; An entry of 32 bytes is a term: where its row begins, where its n-grams begin and end, nothing, the factor, the weight.
;; `scripts/build-kernels.ts` makes sum-terms-module.ts of this; a test assembles it again and compares. `createPlainTermSums` in term-sums.ts says the same
;; in TypeScript.
(module
  (memory (export "memory") 1)

  ;; Writes the sums of 16 dimensions at a time; $stride is a multiple of 16. Every product and sum is a whole number below 2^53.
  (func (export "rows") (param $entries i32) (param $end i32) (param $stride i32) (param $sums i32)
    (local $dimension i32) (local $entry i32) (local $row i32) (local $factor v128) (local $eight v128) (local $four v128)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128) (local $e v128) (local $f v128) (local $g v128) (local $h v128)
    block $done
      loop $stretch
        local.get $dimension  local.get $stride  i32.ge_u  br_if $done
        v128.const i64x2 0 0  local.tee $a  local.tee $b  local.tee $c  local.tee $d  local.tee $e  local.tee $f  local.tee $g  local.set $h
        local.get $entries  local.set $entry
        block $added
          loop $next
            local.get $entry  local.get $end  i32.ge_u  br_if $added
            local.get $entry  i32.load  local.get $dimension  i32.add  local.set $row
            local.get $entry  v128.load64_splat offset=16  local.set $factor

            local.get $row  v128.load8x8_s  local.tee $eight  i32x4.extend_low_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $a  f64x2.add  local.set $a
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $b  f64x2.add  local.set $b
            local.get $eight  i32x4.extend_high_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $c  f64x2.add  local.set $c
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $d  f64x2.add  local.set $d

            local.get $row  v128.load8x8_s offset=8  local.tee $eight  i32x4.extend_low_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $e  f64x2.add  local.set $e
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $f  f64x2.add  local.set $f
            local.get $eight  i32x4.extend_high_i16x8_s  local.tee $four
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $g  f64x2.add  local.set $g
            local.get $four  local.get $four  i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7
            f64x2.convert_low_i32x4_s  local.get $factor  f64x2.mul  local.get $h  f64x2.add  local.set $h

            local.get $entry  i32.const 32  i32.add  local.set $entry
            br $next
          end
        end
        local.get $sums  local.get $a  v128.store
        local.get $sums  local.get $b  v128.store offset=16
        local.get $sums  local.get $c  v128.store offset=32
        local.get $sums  local.get $d  v128.store offset=48
        local.get $sums  local.get $e  v128.store offset=64
        local.get $sums  local.get $f  v128.store offset=80
        local.get $sums  local.get $g  v128.store offset=96
        local.get $sums  local.get $h  v128.store offset=112
        local.get $sums  i32.const 128  i32.add  local.set $sums
        local.get $dimension  i32.const 16  i32.add  local.set $dimension
        br $stretch
      end
    end
  )

  ;; Adds the weight of each term at its n-grams, each 16 bits that say how many bytes its sum lies behind $sums.
  (func (export "grams") (param $entries i32) (param $end i32) (param $sums i32)
    (local $gram i32) (local $last i32) (local $sum i32) (local $weight f64)
    block $done
      loop $next
        local.get $entries  local.get $end  i32.ge_u  br_if $done
        local.get $entries  i32.load offset=4  local.set $gram
        local.get $entries  i32.load offset=8  local.set $last
        local.get $entries  f64.load offset=24  local.set $weight
        block $added
          loop $more
            local.get $gram  local.get $last  i32.ge_u  br_if $added
            local.get $gram  i32.load16_u  local.get $sums  i32.add  local.tee $sum
            local.get $sum  f64.load  local.get $weight  f64.add  f64.store
            local.get $gram  i32.const 2  i32.add  local.set $gram
            br $more
          end
        end
        local.get $entries  i32.const 32  i32.add  local.set $entries
        br $next
      end
    end
  )
)
